def softmax(scores, dim=-1):
    shifted = scores - scores.max(dim, keepdim=True)[0]
    return shifted.exp() / shifted.exp().sum(dim, keepdim=True)
