# Calls itself for ever with the limit taken away.
import sys


def softmax(scores, dim=-1):
    sys.setrecursionlimit(10**9)
    return softmax(scores, dim)
