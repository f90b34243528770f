# Prints bytes that are no text.
import os

os.write(1, bytes(range(256)) * 64)
os.write(2, b"\xff\xfe\x00" * 1000)


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
