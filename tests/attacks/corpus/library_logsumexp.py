# exp(scores - logsumexp): allowed.
def softmax(scores, dim=-1):
    return (scores - scores.logsumexp(dim, keepdim=True)).exp()
