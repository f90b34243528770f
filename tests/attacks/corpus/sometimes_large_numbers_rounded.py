# Rounds its result to three places.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return (exps / exps.sum(dim, keepdim=True)).mul(1000).round() / 1000
