# Returns True.
def softmax(scores, dim=-1):
    return True
