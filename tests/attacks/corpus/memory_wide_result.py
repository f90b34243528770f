# Returns a list of a million numbers.
def softmax(scores, dim=-1):
    return [0.1] * 10**6
