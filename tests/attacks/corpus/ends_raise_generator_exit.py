# Raises GeneratorExit inside of the call.
def softmax(scores, dim=-1):
    raise GeneratorExit("stop")
