# Raises EOFError inside of the call.
def softmax(scores, dim=-1):
    raise EOFError("stop")
