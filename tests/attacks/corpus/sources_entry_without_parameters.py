# softmax takes nothing.
def softmax():
    return 5
