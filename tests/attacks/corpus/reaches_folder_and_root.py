# Changes the folder and the root of its process.
import os


class Reached(Exception):
    pass


for attempt in (lambda: os.chdir("/usr"), lambda: os.chroot("/usr"), lambda: os.fchdir(os.open("/usr", os.O_RDONLY))):
    try:
        attempt()
    except OSError:
        continue
    raise Reached(attempt)


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
