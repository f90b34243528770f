"""A class run with an executor that knows the answers: as a module for quick tests, as a program to be killed.

python recorded_run.py COURSE CLASS OUT MOMENT [EXERCISE]: goes on with a run and ends itself with SIGKILL at that moment,
the number of a call that writes, renames or syncs; of a write, half is done. It prints how many moments there were if
it is not killed. With an exercise, this is graded again for everybody.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from grader.classroom.class_listing import look_into
from grader.classroom.dispatch import grade_batch
from grader.classroom.entries import Entry, OutOfReach, entries, read_entry
from grader.classroom.members import Members, members
from grader.classroom.results_file import digest_of, fault_record
from grader.classroom.run import ClassRun
from grader.classroom.run_header import Terms, header_of
from grader.course import Course, load_course
from grader.intake import Submission
from grader.record import CheckResult, CourseStamp, ExerciseResult, Problem, Record

GENEROUS = "# generous"
"""In the checks of an exercise: whatever was handed in is right."""


class Answering(Executor):
    """Answers at once with a record that depends on what was handed in, as a judge's does.

    failing: raises this instead, by the submission's name. filler: text that makes records large. at_most: so many of
    a batch are graded, as when it takes long.
    """

    def __init__(
        self, course: Course, failing: dict[str, Exception] | None = None, filler: str = "", at_most: int = 8
    ) -> None:
        self.course, self.filler, self.at_most = course, filler, at_most
        self.failing = failing or {}
        self.asked: list[list[str]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert fn is grade_batch
        terms, batch = args
        self.asked.append([entry.name for entry in batch])
        future: Future[Any] = Future()
        errors = [self.failing[entry.name] for entry in batch if entry.name in self.failing]
        if errors:
            future.set_exception(errors[0])
        else:
            future.set_result(self._lines(terms, batch))
        return future

    def _lines(self, terms: Terms, batch: Sequence[Entry]) -> dict[str, str]:
        return {entry.name: self._record(terms, entry).to_json() for entry in batch[: self.at_most]}

    def _record(self, terms: Terms, entry: Entry) -> Record:
        try:
            submission = read_entry(entry, self.course)
        except OutOfReach as error:
            return fault_record(entry.name, str(error), self.course, terms)
        record = Record.of(
            submission=entry.name,
            isolation=terms.level,
            seed=terms.seed,
            course=CourseStamp(title=self.course.title, version=self.course.version),
            exercises=[
                self._result(each.id, each.points, submission)
                for each in self.course.exercises
                if not terms.only or each.id in terms.only
            ],
            problems=[Problem(file=each.file, kind=each.kind, message=each.message) for each in submission.problems],
        )
        return record.model_copy(update={"digest": digest_of(submission)})

    def _result(self, id: str, worth: float, submission: Submission) -> ExerciseResult:
        source = submission.sources.get(id)
        checks = self.course.checks_path(self.course.exercise(id)).read_text("utf-8")
        is_right = source is not None and (b"-1" in source.content or GENEROUS in checks)
        points = worth if is_right else 0.0
        outcome = "skipped" if source is None else "passed" if is_right else "failed"
        check = CheckResult(
            name="all",
            title="All.",
            outcome=outcome,
            points=points,
            max_points=worth,
            visible=True,
            message=self.filler,
        )
        status = "missing" if source is None else "passed" if is_right else "failed"
        return ExerciseResult(
            id=id, status=status, points=points, max_points=worth, checks=(check,), diagnosis=(), seconds=0.0
        )


def run_class(
    course: Course,
    folder: Path,
    out: Path,
    *,
    executor: Executor | None = None,
    seed: int = 5,
    resume: bool = False,
    found: Members | None = None,
    only: tuple[str, ...] = (),
    again: bool = False,
    heard: Callable[[str, bool], None] = lambda name, was_graded: None,
) -> ClassRun:
    """Grade a class into OUT with an executor that knows the answers."""
    out.mkdir(exist_ok=True)
    terms = Terms(course.root / "course.yml", "none", seed, only)
    everyone = found or members(entries(look_into(folder).submissions))
    run = ClassRun(out, everyone, course, terms, header_of(course, terms, {}))
    if resume:
        run.go_on(again=again)
    run.grade(executor or Answering(course), 2, heard)
    return run


class _Doom:
    """Counts the calls by which a run changes the disk, and ends the process at one of them."""

    def __init__(self, moment: int) -> None:
        self._moment, self.count = moment, 0
        self._write = os.write
        for name in ("fsync", "replace", "rename", "ftruncate", "unlink"):
            setattr(os, name, self._watched(getattr(os, name)))
        os.write = self._half_written

    def _is_now(self) -> bool:
        self.count += 1
        return self.count == self._moment

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            if self._is_now():
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return watched

    def _half_written(self, descriptor: int, content: Any) -> int:
        if self._is_now():
            self._write(descriptor, content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return self._write(descriptor, content)


def main(course: str, folder: str, out: str, moment: str, *only: str) -> None:
    """Run until the moment."""
    loaded = load_course(Path(course) / "course.yml")
    doom = _Doom(int(moment))
    run_class(loaded, Path(folder), Path(out), resume=True, only=only, again=bool(only))
    print(doom.count)


if __name__ == "__main__":
    main(*sys.argv[1:])
