# Writes to standard error without end.
import sys


def softmax(scores, dim=-1):
    while True:
        sys.stderr.write("x" * 10_000)
