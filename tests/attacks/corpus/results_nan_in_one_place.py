# Right but for one NaN.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    weights = exps / exps.sum(dim, keepdim=True)
    weights = weights.clone()
    weights.view(-1)[-1] = float('nan')
    return weights
