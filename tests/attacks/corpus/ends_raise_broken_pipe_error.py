# Raises BrokenPipeError inside of the call.
def softmax(scores, dim=-1):
    raise BrokenPipeError("stop")
