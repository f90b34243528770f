import torch


def softmax(scores, dim=-1):
    """Log of the running sum; its last entry is the log of the whole sum."""
    scores = scores.transpose(0, dim)
    log_total = torch.logcumsumexp(scores, 0)[-1:]
    return (scores - log_total).exp().transpose(0, dim)
