"""Handles the requests to a warm judge; the judge itself is loaded for the first one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.judge.errors import GraderBroken
from grader.sandbox.launch import Launched, MachineError

from .line import Reply, Request, mismatch_told
from .purpose import Purpose

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.judge.grading import Judge
    from grader.mismatch import Mismatch
    from grader.record import Record

Send = Callable[[Reply], None]


class Work:
    """The judge, loaded on first use."""

    def __init__(self, purpose: Purpose, launched: Launched | MachineError) -> None:
        self._purpose = purpose
        self._launched = launched
        self._judge: Judge | None = None
        self._trusted: set[tuple[int, str]] = set()
        """(seed, exercise) pairs for which the reference got full marks here."""

    def answer(self, request: Request, send: Send) -> Reply:
        """Do what is asked, `send` progress, and return the last reply."""
        from grader.course import CourseError

        try:
            judge = self._open()
            judge.choose(request.only)
            judge.seed = request.seed
            if request.what == "checks":
                return Reply("checks", _checks_told(judge))
            if request.tries_references:
                self._try_references(judge, request)
            assert request.submission is not None
            return self._grade(judge, request.submission, send)
        except MachineError as error:
            return Reply("machine", str(error))
        except (GraderBroken, CourseError) as error:
            return Reply("broken", str(error))
        except Exception as error:
            return Reply("broken", f"The judge broke ({type(error).__name__}: {error}). That is no fault of your code.")

    def close(self) -> None:
        """End the zygote and its workers."""
        if self._judge is not None:
            self._judge.close()

    def _open(self) -> Judge:
        """The judge. Raises MachineError, CourseError, GraderBroken."""
        if self._judge is None:
            if isinstance(self._launched, MachineError):
                raise self._launched
            from grader.course import load_course
            from grader.judge.grading import Judge

            self._judge = Judge(load_course(self._purpose.course), self._purpose.level, 0, launched=self._launched)
        return self._judge

    def _grade(self, judge: Judge, submission: Submission, send: Send) -> Reply:
        records: list[Record] = []

        def show(_: str, exercise: str, check: str, mismatch: Mismatch) -> None:
            send(Reply("mismatch", mismatch_told(exercise, check, mismatch)))

        judge.grade([submission], records.append, lambda exercise: send(Reply("advance", exercise)), show)
        return Reply("record", records[0].to_json())

    def _try_references(self, judge: Judge, request: Request) -> None:
        """Raise GraderBroken when a reference does not get full marks."""
        from grader.intake import SourceFile, Submission

        new = [id for id in judge.kits if (judge.seed, id) not in self._trusted]
        if not new:
            return
        judge.choose(new)
        paths = {id: judge.course.solution_path(judge.course.exercise(id)) for id in new}
        sources = {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}
        records: list[Record] = []
        judge.grade([Submission("reference", sources, ())], records.append)
        _demand_full_marks(records[0])
        self._trusted.update((judge.seed, id) for id in new)
        judge.choose(request.only)


def _checks_told(judge: Judge) -> dict[str, list[list[object]]]:
    """The chosen exercises' checks: name, title, and whether it can be run here."""
    told: dict[str, list[list[object]]] = {}
    for id, kit in judge.kits.items():
        here = [[each.name, each.worth.title, True] for each in judge.checks_of(id)]
        told[id] = [*here, *([each.name, each.title, False] for each in kit.hidden)]
    return told


def _demand_full_marks(record: Record) -> None:
    short = [each for each in record.exercises if each.points != each.max_points or each.status != "passed"]
    if short:
        listed = ", ".join(f"{each.id} ({each.points:g} of {each.max_points:g} points)" for each in short)
        raise GraderBroken(
            f"The reference solution does not get full marks here: {listed}. Nobody is graded before that is mended; "
            "`kata verify` says more."
        )
