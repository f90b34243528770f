# The right numbers in one row.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return (exps / exps.sum(dim, keepdim=True)).flatten()
