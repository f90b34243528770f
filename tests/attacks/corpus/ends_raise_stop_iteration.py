# Raises StopIteration inside of the call.
def softmax(scores, dim=-1):
    raise StopIteration("stop")
