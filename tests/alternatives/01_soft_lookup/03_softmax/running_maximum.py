import torch


def softmax(scores, dim=-1):
    """streaming: running max and running sum"""
    m = torch.full_like(scores.select(dim, 0), float("-inf"))
    s = torch.zeros_like(m)
    for x in scores.unbind(dim):
        new = torch.max(m, x)
        s = s * torch.exp(m - new) + torch.exp(x - new)
        m = new
    return torch.exp(scores - m.unsqueeze(dim)) / s.unsqueeze(dim)
