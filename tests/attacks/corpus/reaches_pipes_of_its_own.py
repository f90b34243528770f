# Makes pipes, events and shared memory.
import os
from multiprocessing import shared_memory


class Reached(Exception):
    pass


def act():
    attempts = [os.pipe, lambda: os.eventfd(0), lambda: shared_memory.SharedMemory(create=True, size=10), lambda: os.openpty(), lambda: os.memfd_create("x")]
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except (OSError, FileNotFoundError):
            continue
        raise Reached(f"attempt {number} succeeded")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
