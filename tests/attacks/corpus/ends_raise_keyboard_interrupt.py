# Raises KeyboardInterrupt inside of the call.
def softmax(scores, dim=-1):
    raise KeyboardInterrupt("stop")
