"""The process between kernel and judge: answers one question after another until the kernel ends.

Questions and answers are lines of JSON on standard input and output.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

from grader.cli.endings import UsageError
from grader.judge.errors import GraderBroken
from grader.sandbox.doctor import strongest_level
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level
from grader.service.client import JudgeLine, ServedJudge
from grader.service.opening import line_for
from grader.service.place import ServiceError

from .playing import AS_CALLS, AS_MAGIC, Typed, Words, playing, words_of

if TYPE_CHECKING:
    from grader.course import Exercise
    from grader.mismatch import Mismatch
    from grader.practice.workspace import Workspace
    from grader.record import Record

    from .executed import Answer


LINE_NUMBER = re.compile(r"\bline \d")


def main() -> None:
    """Answer the questions on standard input. Never returns."""
    line = _Line()
    judging = _Judging(line)
    line.listen(judging.end)
    judging.run()


class _Line:
    """The connection to the kernel, moved off descriptors 0 and 1, which other code in this process may use."""

    def __init__(self) -> None:
        self._questions = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        with open(os.devnull, "r+b") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        self._waiting: SimpleQueue[bytes] = SimpleQueue()

    def listen(self, end: Callable[[], NoReturn]) -> None:
        """Read questions from now on; call `end` when the kernel has ended, whatever is running."""

        def take_in() -> None:
            for question in self._questions:
                self._waiting.put(question)
            end()

        threading.Thread(target=take_in, daemon=True).start()

    def take(self) -> dict[str, Any]:
        """Wait for the next question."""
        question: dict[str, Any] = json.loads(self._waiting.get())
        return question

    def give(self, text: str, html: str, *, passed: bool = False, more: bool = False) -> None:
        """Answer the last question, with the same content as text and as HTML.

        more: more parts follow; the kernel will ask for them.
        """
        with suppress(OSError):  # the kernel has ended, and this process ends soon
            answer = {"text": text, "html": html, "passed": passed, "more": more}
            self._answers.write(json.dumps(answer).encode("ascii") + b"\n")
            self._answers.flush()

    def say(self, sentence: str) -> None:
        """Answer the last question with a sentence instead of a verdict."""
        self.give(sentence, f"<p>{escape(sentence)}</p>")


@dataclass(frozen=True)
class _Asked:
    """A question that can be graded."""

    workspace: Workspace
    exercise: Exercise
    answer: Answer
    seed: int
    is_try: bool
    """Whether it counts as an attempt in the learner's progress."""
    typed: Typed
    play: Words | None = None
    """The arguments of `%kata play`; None for a check."""


class _Judging:
    """Sends questions to the warm judge of their course."""

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._judges: dict[tuple[Path, Level], JudgeLine] = {}
        self._mismatches: dict[tuple[str, str], Mismatch] = {}

    def end(self) -> NoReturn:
        """End this process; a judge that only this process uses ends too."""
        os._exit(0)

    def run(self) -> NoReturn:
        """Answer one question after another. An error is reported as an answer; the next question tries again."""
        while True:
            asked = self._next()
            try:
                if asked.play is None:
                    self._grade(asked)
                else:
                    self._play(asked, asked.play)
            except MachineError as error:
                self._line.say(f"Your code cannot be run here (missing: {error}). See `kata doctor`.")
            except (GraderBroken, ServiceError, UsageError) as error:
                self._line.say(str(error))
            except Exception as error:
                self._line.say(_broken(error))

    def _grade(self, asked: _Asked) -> None:
        """Grade and answer. Raises MachineError, GraderBroken, ServiceError when there can be no verdict."""
        course, level = asked.workspace.course.root / "course.yml", strongest_level()
        if (course, level) not in self._judges:
            self._judges[course, level] = line_for(course, level)
        judge = ServedJudge(self._judges[course, level], asked.seed, [asked.exercise.id], 1)
        self._mismatches = {}
        judge.grade([asked.answer.submission], lambda record: self._answer(asked, record), show=self._keep)

    def _play(self, asked: _Asked, words: Words) -> None:
        """Send one answer for each part of the scene. Raises UsageError, MachineError."""
        source = asked.answer.submission.sources[asked.exercise.id].content
        with playing(asked.workspace, asked.exercise, source, words) as shown:
            for text, html, more in shown:
                self._line.give(text, html, more=more)
                if more:
                    self._line.take()

    def _next(self) -> _Asked:
        """The next question that can be graded; any other is answered at once."""
        from grader.course import CourseError
        from grader.intake import SubmissionError

        while True:
            question = self._line.take()
            try:
                return _asked(question)
            except (UsageError, CourseError, GraderBroken, SubmissionError) as error:
                self._line.say(str(error))
            except Exception as error:
                self._line.say(_broken(error))

    def _keep(self, submission: str, exercise: str, check: str, mismatch: Mismatch) -> None:
        self._mismatches[exercise, check] = mismatch

    def _answer(self, asked: _Asked, record: Record) -> None:
        from grader.practice.checking import handed_in
        from grader.render.small_pages import Verdict

        verdict = Verdict(
            record=handed_in(record),
            title=asked.exercise.title,
            cell=asked.answer.number,
            mismatches=self._mismatches,
            remarks=[*_counted_lines(asked.answer, record), *(_noted(asked, record) if asked.is_try else ())],
        )
        passed = record.complete and all(exercise.status == "passed" for exercise in verdict.record.exercises)
        self._line.give(verdict.text(), verdict.html(), passed=passed)


def _asked(question: dict[str, Any]) -> _Asked:
    """Find the course and the answer. Raises CourseError, SubmissionError or UsageError, each with a sentence."""
    from grader.cli.terms import seed_or_fresh
    from grader.course import CourseError

    from .executed import ExecutedCell, answer_among

    seed = question["seed"]
    if seed is not None and (not isinstance(seed, int) or seed < 0):
        raise UsageError("The seed must be a whole number, not below 0.")
    typed = AS_MAGIC if question["has_magic"] else AS_CALLS
    words = words_of(question["play"], typed) if "play" in question else None
    start = Path(question["folder"] or os.path.abspath(os.sep))
    course = None if question["course"] is None else start / Path(question["course"]).expanduser()
    try:
        workspace, keeps_progress = _workspace(course, start)
    except CourseError as error:
        what = f'kata.play("{words.exercise}"' if words else f'kata.check("{question["exercise"]}"'
        hint = f'. Name the course: {what}, course="PATH/course.yml")'
        raise UsageError(f"{error}{hint if course is None else ''}") from None
    exercise = workspace.course.exercise(words.exercise if words else question["exercise"])
    cells = [ExecutedCell(*cell) for cell in question["cells"]]
    answer = answer_among(cells, exercise, workspace.course)
    if answer is None:
        raise UsageError(
            f"There is nothing to check yet: the cell with your answer to {exercise.id} has not been run since the "
            "kernel was started. Run it, then this cell."
        )
    is_try = question["is_try"] and keeps_progress
    return _Asked(workspace, exercise, answer, seed_or_fresh(seed, workspace.course), is_try, typed, words)


def _workspace(course: Path | None, start: Path) -> tuple[Workspace, bool]:
    """Where the notebook lies, and whether progress is kept there. Raises CourseError and UsageError.

    One that nbgrader fetched lies in no folder of the course; the one that a learner's wheel carries is asked then.
    """
    from grader.cli.practising import workspace_here
    from grader.course import load_course
    from grader.course.named import installed_course, is_installed
    from grader.practice.workspace import Workspace, find_workspace

    if course is None and find_workspace(start) is None:
        carried = installed_course()
        if carried is not None and is_installed(carried):
            found = load_course(carried)
            return Workspace(found, found.root), False
    return workspace_here(course, start), True


def _counted_lines(answer: Answer, record: Record) -> list[str]:
    """What the line numbers of messages count, where these are not the lines of the cell."""
    from grader.render.wording import counted

    checks = (check for exercise in record.exercises for check in exercise.checks)
    if not answer.lines_before or not any(LINE_NUMBER.search(check.message) for check in checks):
        return []
    before = counted(answer.lines_before, "line")
    first = answer.lines_before + 1
    return [f"Line numbers count {before} of other cells too, in front of this one: line {first} is its first."]


def _noted(asked: _Asked, record: Record) -> list[str]:
    """Write the record into the learner's progress; returns sentences about it."""
    from grader.play.catalogue import offer_of
    from grader.practice.checking import note_record
    from grader.practice.progress import DamagedProgress, now
    from grader.practice.review import when

    coming: dict[str, datetime] = {}
    try:
        coming = note_record(asked.workspace, asked.answer.submission, record)
    except DamagedProgress as damage:
        return [f"{damage} `kata` fills it again."]
    except OSError as error:
        return [f"Your progress could not be noted: {error.strerror or error}."]
    offers = [offer for result in record.exercises if (offer := offer_of(result, asked.typed.play))]
    return [*(f"{id} comes back {when(expected, now())}." for id, expected in coming.items()), *offers]


def _broken(error: Exception) -> str:
    return f"The judge broke ({type(error).__name__}: {error}). That is no fault of your code."


if __name__ == "__main__":
    main()
