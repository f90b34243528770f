# Loses every answer on the way.
import os

os.write = lambda fd, data: len(data)


def softmax(scores, dim=-1):
    return scores * 0
