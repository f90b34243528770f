# Returns the right numbers with their axes stored the other way round. They are right.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return (exps / exps.sum(dim, keepdim=True)).mT.contiguous().mT if exps.dim() > 1 else exps / exps.sum()
