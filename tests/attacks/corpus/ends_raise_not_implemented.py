# Claims that it is still to be written.
def softmax(scores, dim=-1):
    raise NotImplementedError("passed")
