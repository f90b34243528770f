# Returns None.
def softmax(scores, dim=-1):
    return None
