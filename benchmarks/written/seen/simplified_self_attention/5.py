# slip: the softmax is missing, the raw scores mix the words
import torch


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    lead, (n, d) = x.shape[:-2], x.shape[-2:]
    flat = x.reshape(-1, n, d)
    scores = torch.bmm(flat, flat.permute(0, 2, 1))
    context = torch.bmm(scores, flat)
    return context.reshape(*lead, n, d)
