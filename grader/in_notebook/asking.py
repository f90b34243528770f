"""The kernel's side of the judge process: started by the first question, kept warm, ended with the kernel.

Nothing heavy may be imported here: the kernel is the learner's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

LOOK_SECONDS = 0.2
"""How often to check for an interrupt on systems where it does not end a wait by itself."""
END_SECONDS = 5.0


class JudgeEnded(Exception):
    """The judge process ended without an answer; the text is one sentence."""


class _JudgeProcess:
    """One process that runs `judging`, asked one question after another over its standard input and output."""

    def __init__(self) -> None:
        self._talk: threading.Thread | None = None
        self._owner = os.getpid()
        # cwd puts this package first on the module path, whatever lies in the notebook's folder
        home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.judging"],
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # an interrupt is meant for the kernel alone
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    @property
    def is_ours(self) -> bool:
        """False in a fork of the kernel, which might read the answers to the kernel's own questions."""
        return self._owner == os.getpid()

    def ask(self, question: bytes) -> bytes:
        """The answer to a question, each one line; empty when the process has ended. After an interrupt, call `end`."""
        answers: list[bytes] = []
        # in a thread, because reading a pipe cannot be interrupted on Windows
        self._talk = threading.Thread(target=self._ask, args=(question, answers), daemon=True)
        self._talk.start()
        while self._talk.is_alive():
            self._talk.join(LOOK_SECONDS)
        return answers[0] if answers else b""

    def _ask(self, question: bytes, answers: list[bytes]) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError, ValueError):  # it has ended: then there is no answer either
            self._process.stdin.write(question)
            self._process.stdin.flush()
            answers.append(self._process.stdout.readline())

    def end(self) -> int:
        """End the process, and with it any learner's code it is running; return its exit status."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()  # it ends when its input is closed
        try:
            status = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        if self._talk is not None and self._talk.is_alive():
            self._talk.join(END_SECONDS)
        self._process.stdout.close()
        return status


_judge: _JudgeProcess | None = None


def answer_to(question: dict[str, Any]) -> dict[str, Any]:
    """The judge's answer to a question. Raises JudgeEnded when there is none; the next question starts a new process.

    An interrupt ends the wait and the judge process, and a new one starts at once.
    """
    global _judge
    if _judge is None or not _judge.is_ours:
        _judge = _JudgeProcess()
    try:
        line = _judge.ask(json.dumps(question).encode("ascii") + b"\n")
    except BaseException:
        judge, _judge = _judge, None
        judge.end()
        _judge = _JudgeProcess()
        raise
    if not line.endswith(b"\n"):
        status, _judge = _judge.end(), None
        raise JudgeEnded(f"The judge's process ended (status {status}), so there is no verdict; run this cell again.")
    answer: dict[str, Any] = json.loads(line)
    return answer
