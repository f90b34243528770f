"""What judges are forked from: Python's fork server imports this module, and has then loaded all that a judge needs."""

import ctypes
import gc
import signal

PR_SET_PDEATHSIG = 1
"""Of <linux/prctl.h>: the signal that a process gets when its parent ends."""

# It ends with the command, at once: readers of the command's output would wait until all is loaded.
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
gc.disable()  # see `launch_ahead`

import grader.classroom.grading_terms  # noqa: E402
import grader.classroom.judging  # noqa: E402
import grader.judge.grading  # noqa: E402, F401
