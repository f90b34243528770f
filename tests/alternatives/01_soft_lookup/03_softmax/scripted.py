import torch


@torch.jit.script
def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    m = torch.amax(scores, dim=[dim], keepdim=True)
    e = torch.exp(scores - m)
    return e / torch.sum(e, dim=[dim], keepdim=True)
