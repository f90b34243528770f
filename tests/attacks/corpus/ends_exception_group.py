# Raises a group that holds exits and interrupts.
def softmax(scores, dim=-1):
    raise BaseExceptionGroup("many", [SystemExit(0), KeyboardInterrupt()])
