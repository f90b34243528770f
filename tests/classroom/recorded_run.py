"""A class run with judges that know the answers: as a module for quick tests, as a program to be killed.

python -m tests.classroom.recorded_run COURSE CLASS OUT MOMENT [EXERCISE]: goes on with a run and ends itself with SIGKILL at that moment,
the number of a call that changes the database or a file, before or after it. It prints how many moments there were if
it is not killed. With an exercise, this is graded again for everybody.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.classroom.grade import ClassOptions, grade_class
from grader.classroom.judging import Pool, grade_one
from grader.classroom.results import ClassResults, Result
from grader.classroom.store import reading
from grader.course import Course, load_course
from grader.intake import Submission
from grader.record import ExerciseResult
from grader.render.class_summary import ClassSummary
from tests import records

GENEROUS = "# generous"
"""In the checks of an exercise: whatever was handed in is right."""


def read_results(out: Path) -> Iterator[Result]:
    """Everybody's results, by the course of the class's last run; one record in memory at a time."""
    with reading(out) as store:
        yield from ClassResults(store, load_course(store.runs[-1].course))


class Answering(Pool):
    """Answers at once with results that depend on what was handed in, as a judge's do.

    failing: raises this instead, by the submission's name. filler: text that makes results large. asked: the name of
    each submission with the exercises to grade.
    """

    def __init__(self, course: Course, failing: dict[str, Exception] | None = None, filler: str = "") -> None:
        self.course, self.filler, self.failing = course, filler, failing or {}
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert fn is grade_one
        _, submission, exercises = args
        assert submission.name, "a record needs one"
        self.asked.append((submission.name, exercises))
        future: Future[Any] = Future()
        if error := self.failing.get(submission.name):
            future.set_exception(error)
        else:
            worth = {id: self.course.exercise(id).points for id in exercises}
            future.set_result(tuple(self._result(id, worth[id], submission) for id in worth))
        return future

    def _result(self, id: str, worth: float, submission: Submission) -> ExerciseResult:
        source = submission.sources.get(id)
        checks = self.course.checks_path(self.course.exercise(id)).read_text("utf-8")
        is_right = source is not None and (b"-1" in source.content or GENEROUS in checks)
        status = "missing" if source is None else "passed" if is_right else "failed"
        outcome = "skipped" if source is None else status
        check = records.check(title="All.", outcome=outcome, max_points=worth, visible=True, message=self.filler)
        return records.exercise(check, id=id, status=status)


class Ran:
    """What a run came to, and what it said. graded: the submissions of which there was anything to grade."""

    summary: ClassSummary
    faults: Sequence[str]
    graded: Sequence[str]

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self.remarks: list[str] = []

    def say(self, sentence: str) -> None:
        self.remarks.append(sentence)

    @contextmanager
    def progress(self, total: int) -> Iterator[Callable[[], None]]:
        yield self._heard


def run_class(
    course: Course,
    folder: Path,
    out: Path,
    *,
    pool: Pool | None = None,
    heard: Callable[[], None] = lambda: None,
    **options: Any,
) -> Ran:
    """Grade a class into OUT with judges that know the answers; options are those of ClassOptions."""
    ran = Ran(heard)
    if not options.get("resume") and (out / "class.db").exists():
        options = {"anew": True, **options}
    judge = pool or Answering(course)
    options = {"level": "none", "seed": 5, "judges": lambda run: judge, **options}
    ran.summary, ran.faults = grade_class(
        folder, out, course, ClassOptions(say=ran.say, progress=ran.progress, **options)
    )
    ran.graded = list(dict.fromkeys(name for name, _ in judge.asked)) if isinstance(judge, Answering) else []
    return ran


class _Doom:
    """Counts the calls that change the database or a file, and ends the process before or after one of them."""

    def __init__(self, moment: int) -> None:
        self._moment, self.count = moment, 0
        for name in ("fsync", "replace", "rename", "unlink"):
            setattr(os, name, self.watched(getattr(os, name)))
        connect, watched = sqlite3.connect, self.watched

        class Connection(sqlite3.Connection):
            execute = watched(sqlite3.Connection.execute)
            executemany = watched(sqlite3.Connection.executemany)

        sqlite3.connect = lambda *args, **kwargs: connect(*args, factory=Connection, **kwargs)

    def watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            is_read = len(args) > 1 and str(args[1]).startswith(("SELECT", "PRAGMA"))
            self._pass(is_read)
            done = call(*args, **kwargs)
            self._pass(is_read)
            return done

        return counted

    def _pass(self, is_read: bool) -> None:
        self.count += not is_read
        if self.count == self._moment and not is_read:
            os.kill(os.getpid(), signal.SIGKILL)


def main(course: str, folder: str, out: str, moment: str, *only: str) -> None:
    """Run until the moment."""
    loaded = load_course(Path(course) / "course.yml")
    doom = _Doom(int(moment))
    run_class(loaded, Path(folder), Path(out), resume=True, only=only)
    print(doom.count)


if __name__ == "__main__":
    main(*sys.argv[1:])
