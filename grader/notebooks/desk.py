"""The other end of the judge's process: started once, kept warm, asked for one submission after another."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from typing import Any, NoReturn

import grader
from grader.classroom import Terms
from grader.results import Record
from grader.submission import Submission

from .clerk import question, terms_text

START_SECONDS = 180.0
"""For loading torch twice and the trial with the references, on a busy machine."""
GRADING_SECONDS = 900.0
"""For one submission: far beyond the judge's own deadlines, in case these fail."""


class DeskError(Exception):
    """There is no grade, by no fault of the learner's; the text is one sentence."""


class Desk:
    """One judge, from its trial with the references on."""

    def __init__(self, terms: Terms, changes: tuple[int, ...] = ()) -> None:
        self.terms, self.changes = terms, changes
        self.failure: str | None = None
        """Why this judge will never grade; its process has ended then."""
        self.was_ready = False
        """Whether the references got full marks."""
        self._asked: Submission | None = None
        ours, theirs = socketpair()
        with theirs:
            self._line = Connection(ours.detach())
            # this package's own folder comes first on the path there, whatever lies in the course folder
            home = Path(grader.__file__).resolve().parents[1]
            command = [sys.executable, "-m", "grader.notebooks.clerk", str(theirs.fileno()), terms_text(terms)]
            self._process = subprocess.Popen(
                command, cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )

    def begin(self, submission: Submission) -> None:
        """Let the judge grade this one while other things are done; `grade` will have the record sooner.

        Raises DeskError when this judge has failed.
        """
        if self._asked is not None:
            self._await_record()  # nobody came for it: that submission failed somewhere else
        if self.failure:
            raise DeskError(self.failure)
        self._asked = submission
        # when the process has ended, its last words say why, and they are read later
        with suppress(OSError):
            self._line.send_bytes(question(submission))

    def grade(self, submission: Submission) -> Record:
        """The record of one submission. Raises DeskError when the judge did not come to one."""
        if self._asked != submission:
            self.begin(submission)
        record = self._await_record()
        if not record.complete:
            raise DeskError(_unfinished(record))
        return record

    def _await_record(self) -> Record:
        self._asked = None
        if not self.was_ready:
            self._answer(START_SECONDS)
            self.was_ready = True
        return Record.from_json(self._answer(GRADING_SECONDS)["record"])

    def close(self) -> None:
        """End the judge's process."""
        self._line.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            if not self._line.poll(seconds):
                self._fail(f"The judge did not answer within {seconds:g} seconds.")
            answer: dict[str, Any] = json.loads(self._line.recv_bytes())
        except (EOFError, OSError):
            self._fail("The judge's process ended.")
        if "failed" in answer:
            self._fail(answer["failed"])
        return answer

    def _fail(self, sentence: str) -> NoReturn:
        self.failure = sentence
        self.close()
        raise DeskError(sentence)


def _unfinished(record: Record) -> str:
    errors = [
        f"{exercise.id}, {check.name}: {check.message}"
        for exercise in record.exercises
        for check in exercise.checks
        if check.outcome == "error"
    ]
    return f"The grader itself failed, so there is no grade: {'; '.join(errors[:3])}"


_desk: Desk | None = None


def desk_for(terms: Terms, changes: tuple[int, ...]) -> Desk:
    """The desk for these terms, the same one for the rest of this process while the course does not change.

    A judge whose trial failed stays failed, so that a batch does not wait for it again and again; one that broke
    later gets a successor.

    changes: when the files that the judge goes by were changed last.
    """
    global _desk
    if _desk is not None:
        is_of_use = not (_desk.failure and _desk.was_ready)
        if not is_of_use or (_desk.terms, _desk.changes) != (terms, changes):
            close_desk()
    if _desk is None:
        _desk = Desk(terms, changes)
    return _desk


@atexit.register
def close_desk() -> None:
    """End the judge of this process, if there is one."""
    global _desk
    if _desk is not None:
        _desk.close()
        _desk = None
