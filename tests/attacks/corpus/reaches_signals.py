# Sends signals to the judge, to the zygote, to its group and to itself.
import ctypes
import os
import signal
import threading

class Reached(Exception):
    pass


def act():
    libc = ctypes.CDLL(None, use_errno=True)
    attempts = [
        *(lambda number=number: os.kill(number, signal.SIGSTOP) for number in (0, -1, 1, 2, os.getppid())),
        lambda: os.killpg(0, signal.SIGSTOP),
        lambda: signal.raise_signal(signal.SIGSTOP),
        lambda: signal.pthread_kill(threading.get_ident(), signal.SIGSTOP),
        lambda: signal.pidfd_send_signal(3, signal.SIGSTOP),
        lambda: signal.setitimer(signal.ITIMER_REAL, 0.1),
    ]
    for attempt in attempts:
        try:
            attempt()
        except (OSError, RuntimeError):
            continue
        raise Reached(attempt)
    if libc.sigqueue(os.getppid(), 10, 0) == 0:
        raise Reached("sigqueue")


act()

def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
