# Forks for ever.
import os


class Reached(Exception):
    pass


def act():
    for _ in range(100):
        try:
            os.fork()
        except OSError:
            continue
        raise Reached("a fork")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
