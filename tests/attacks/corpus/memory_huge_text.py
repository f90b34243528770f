# Returns a text of a hundred million characters.
def softmax(scores, dim=-1):
    return "x" * 10**8
