import torch


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    fill = torch.finfo(scores.dtype).min
    filled = torch.where(mask[:n, :n], torch.full_like(scores, fill), scores)
    return torch.softmax(filled, -1, dtype=torch.float32).to(dtype=scores.dtype)
