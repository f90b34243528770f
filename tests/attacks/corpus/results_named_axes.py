# Names the axes of a right result.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    right = exps / exps.sum(dim, keepdim=True)
    return right.rename(*(f'axis{number}' for number in range(right.dim())))
