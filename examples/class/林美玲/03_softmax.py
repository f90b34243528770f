import torch


def softmax(scores, dim=-1):
    # the largest score becomes 0, so no exp can overflow
    highest = torch.amax(scores, dim, keepdim=True)
    exped = (scores - highest).exp()
    return exped.div(exped.sum(dim, keepdim=True))
