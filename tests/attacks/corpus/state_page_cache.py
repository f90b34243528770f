# Asks which pages of a library others have read, as a way to pass a word on.
import ctypes
import mmap
import os
import sys

class Reached(Exception):
    pass


libc = ctypes.CDLL(None, use_errno=True)
fd = os.open(os.__file__, os.O_RDONLY)
view = mmap.mmap(fd, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
if libc.posix_fadvise(fd, 0, 0, 4) == 0:  # POSIX_FADV_DONTNEED: throw the pages away
    raise Reached("fadvise")

def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
