import torch


def _context(query, inputs):
    return torch.softmax(inputs @ query, dim=0) @ inputs


def simplified_self_attention(x):
    if x.dim() > 2:
        return torch.stack([simplified_self_attention(part) for part in x])
    return torch.stack([_context(word, x) for word in x])
