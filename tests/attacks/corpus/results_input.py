# Returns its input.
def softmax(scores, dim=-1):
    return scores
