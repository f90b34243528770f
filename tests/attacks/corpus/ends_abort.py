# Aborts the process.
import os


def softmax(scores, dim=-1):
    os.abort()
