# Writes to descriptor 1 without end, past Python's streams.
import os


def softmax(scores, dim=-1):
    while True:
        os.write(1, b"x" * 65536)
