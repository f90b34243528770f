# Starts processes in every way that Python knows.
import concurrent.futures
import multiprocessing
import os
import subprocess


class Reached(Exception):
    pass


def act():
    true = "/bin/true"
    attempts = [
        os.fork, os.forkpty, lambda: os.posix_spawn(true, [true], {}), lambda: subprocess.run([true], check=True), lambda: os.execv(true, [true]),
        lambda: subprocess.Popen("true", shell=True), lambda: os.popen("true").read(), lambda: multiprocessing.Process(target=print).start(),
        lambda: concurrent.futures.ProcessPoolExecutor(1).submit(print).result(1),
    ]
    me = os.getpid()
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except (OSError, ImportError):
            continue
        finally:
            if os.getpid() != me:
                while True:
                    pass
        raise Reached(f"attempt {number} succeeded")
    if os.system("true") == 0:
        raise Reached("a shell")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
