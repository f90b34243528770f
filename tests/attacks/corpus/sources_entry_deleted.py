# softmax is deleted again.
def softmax(scores, dim=-1):
    return scores


del softmax
