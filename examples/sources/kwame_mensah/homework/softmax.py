from torch import exp


def softmax(scores, dim=-1):
    m, _ = scores.max(dim=dim, keepdim=True)
    top = exp(scores - m)
    bottom = top.sum(dim=dim, keepdim=True)
    return top / bottom
