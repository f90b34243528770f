# Overwrites files that are there.
import json
import os
import sys


class Reached(Exception):
    pass


def act():
    for path in (os.__file__, json.__file__, sys.executable, "/dev/null", "/etc/passwd", "/dev/sda", "/kata/inside/host.py", sys.modules["inside.host"].__file__, sys.prefix + "/../course.yml"):
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND):
            try:
                os.open(path, flags)
            except OSError:
                continue
            raise Reached(f"opened {path} for writing")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
