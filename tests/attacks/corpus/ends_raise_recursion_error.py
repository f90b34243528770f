# Raises RecursionError inside of the call.
def softmax(scores, dim=-1):
    raise RecursionError("stop")
