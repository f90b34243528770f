# Waits for a lock that nobody gives back.
import threading


def softmax(scores, dim=-1):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
