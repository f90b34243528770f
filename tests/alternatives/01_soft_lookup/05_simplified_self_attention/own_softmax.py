import torch


def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    return softmax(x @ x.mT).matmul(x)
