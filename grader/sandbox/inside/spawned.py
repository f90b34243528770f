"""A process that loads torch, waits for one learner's file and answers questions about it. Works without fork.

It uses its standard streams: questions come in on stdin, answers go out on stdout, on stderr why it could not start.
"""

from __future__ import annotations

import os
import threading

CHUNK = 1 << 16


def main() -> None:
    """Become a worker: load torch, say "ready", take the limits, answer questions, exit. Never returns."""
    questions, answers = _take_streams()
    from . import host, lockdown, wire  # only now: torch may print while it loads

    code = 1
    try:
        host.warm_up()
        host.keep_what_is_loaded()
        _print_nowhere()
        wire.write_frame(answers, wire.pack({"ready": True}, 0))
        questions = _ended_with_the_judge(questions)
        order = wire.unpack(*wire.read_frame(questions, 0))
        lockdown.limit(order["cpu_seconds"], order["memory_bytes"], is_warm=True)
        host.serve(questions, answers)
        code = 0
    except Exception as error:
        # if it never became ready, the judge shows this last line
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    except BaseException:
        pass
    finally:
        os._exit(code)  # runs none of a learner's atexit handlers


def _take_streams() -> tuple[int, int]:
    """Move questions (0) and answers (1) to other descriptors and return these. Torch may print while it loads."""
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def _print_nowhere() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nothing, output)
    os.close(nothing)


def _ended_with_the_judge(questions: int) -> int:
    """Return a descriptor to read questions from. This process exits when the judge is gone, whatever it is running."""
    passed_on, pass_on = os.pipe()

    def relay() -> None:
        while part := os.read(questions, CHUNK):
            while part:
                part = part[os.write(pass_on, part) :]
        os._exit(0)

    threading.Thread(target=relay, daemon=True).start()
    return passed_on
