# Returns the right rows as a list.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return list(exps / exps.sum(dim, keepdim=True))
