# Claims to be out of memory.
def softmax(scores, dim=-1):
    raise MemoryError
