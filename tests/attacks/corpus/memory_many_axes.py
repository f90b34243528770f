# Returns a tensor of a hundred thousand axes, each of length one.
def softmax(scores, dim=-1):
    return scores.sum().reshape([1] * 100_000)
