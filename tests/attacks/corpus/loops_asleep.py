# Sleeps instead of answering.
import time


def softmax(scores, dim=-1):
    time.sleep(10**6)
