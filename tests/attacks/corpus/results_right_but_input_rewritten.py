# Right, but the input is overwritten with the result.
def softmax(scores, dim=-1):
    exps = (scores.detach() - scores.detach().amax(dim, keepdim=True)).exp()
    scores.data.copy_(exps / exps.sum(dim, keepdim=True))
    return scores
