# Raises SystemExit inside of the call.
def softmax(scores, dim=-1):
    raise SystemExit("stop")
