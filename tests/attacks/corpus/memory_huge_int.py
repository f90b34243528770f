# Returns a whole number of a hundred thousand digits.
def softmax(scores, dim=-1):
    return 10**100_000
