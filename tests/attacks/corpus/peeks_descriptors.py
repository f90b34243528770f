# Looks for open descriptors beyond its own five.
import os


class Reached(Exception):
    pass


def look():
    for fd in range(5, 5000):
        try:
            os.fstat(fd)
        except OSError:
            continue
        raise Reached(f"descriptor {fd} is open")


look()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
