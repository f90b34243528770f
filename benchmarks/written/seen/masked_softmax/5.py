# slip: the mask is read the wrong way round, what is True stays visible
import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    n = scores.shape[-1]
    m = mask[:n, :n]
    x = torch.where(m, scores.float(), torch.finfo(torch.float32).min)
    x = x - x.amax(-1, keepdim=True)
    e = x.exp()
    return (e / e.sum(-1, keepdim=True)).to(scores.dtype)
