# Returns infinity everywhere.
def softmax(scores, dim=-1):
    return scores * 0 + float('inf')
