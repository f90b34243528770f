# Sets an alarm whose handler loops.
import signal


def softmax(scores, dim=-1):
    def again(number, frame):
        while True:
            pass


    signal.signal(signal.SIGALRM, again)
    signal.alarm(1)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass
