# Calls itself for ever.
def softmax(scores, dim=-1):
    return softmax(scores, dim)
