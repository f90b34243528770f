# Leaves next to no recursion.
import sys

sys.setrecursionlimit(sys.getrecursionlimit() - 950)


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
