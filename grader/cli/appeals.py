"""`kata explain`: shows an instructor why a learner of a graded class lost points."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .expected import demand_results
from .terms import CourseFile, course_at, level_called, refuse_exposed, titles_of

if TYPE_CHECKING:
    from grader.classroom.handed_in import HandedIn
    from grader.classroom.results_file import Result
    from grader.classroom.run_header import RunHeader
    from grader.course import Course, Exercise
    from grader.judge.shown_case import ShownCheck
    from grader.record import ExerciseResult


@app.command(rich_help_panel=TEACH)
def explain(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    learner: Annotated[str, typer.Argument(help="The learner's id, login, email or name.", metavar="LEARNER")],
    exercise: Annotated[
        str | None, typer.Argument(help="Only this exercise; all with lost points by default.", metavar="[EXERCISE]")
    ] = None,
    inputs: Annotated[
        bool,
        typer.Option(
            "--inputs",
            help="Run the checks again and show hidden inputs, expected and actual values. Not for learners.",
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="The submission, if it has moved since it was graded.", metavar="PATH"),
    ] = None,
    isolation: Annotated[
        str | None, typer.Option("--isolation", help="Isolation level; by default that of the class.", metavar="LEVEL")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show at which checks a learner lost points, and why, and how to run them again with the same inputs."""
    from grader.classroom.appeal import told_of_lost, told_of_policy
    from grader.classroom.attempts import graded_in
    from grader.classroom.handed_in import result_of_learner
    from grader.classroom.run_header import read_run
    from grader.render.safe_text import safe_line

    demand_results(out, "kata explain {} LEARNER")
    chosen = course_at(course)
    header = read_run(graded_in(out))
    result = result_of_learner(out, learner)
    asked = _asked(result, chosen, exercise)
    record, titles = result.record, titles_of(chosen)
    who = f"{safe_line(result.titled.submission)}"
    if not asked:
        print(f"{who} has all points for all {len(record.exercises)} exercises.")
    appeal = _Appeal(out, result, chosen, isolation or record.isolation)
    if asked:
        appeal.find(file, header)
    for each in asked:
        _put([f"{who}: seed {record.seed_of(each)}", *told_of_lost(each, titles.get(each.id, each.id))])
        appeal.tell(each, inputs=inputs)
        print()
    units = [unit.folder for unit in chosen.units if {each.id for each in unit.exercises} & {each.id for each in asked}]
    _put(told_of_policy(record, units))


def _asked(result: Result, course: Course, exercise: str | None) -> list[ExerciseResult]:
    from grader.classroom.appeal import lost

    if exercise is None:
        return lost(result.record)
    id = course.exercise(exercise).id
    found = [each for each in result.record.exercises if each.id == id]
    if not found:
        raise UsageError(f"{id} was not graded in this run.")
    return found


def _put(lines: Iterable[str]) -> None:
    from grader.render.safe_text import encodable

    for line in lines:
        print(encodable(line, sys.stdout.encoding or "utf-8"))


@dataclass
class _Appeal:
    """One learner's appeal: finds the submission, and can run its checks again."""

    out: Path
    result: Result
    course: Course
    isolation: str
    handed_in: HandedIn | None = None

    def find(self, file: Path | None, header: RunHeader | None) -> None:
        """Find the submission; print a sentence if it is missing or is not what was graded."""
        from grader.classroom.handed_in import find_again, from_path
        from grader.intake import SubmissionError

        if file is not None:
            self.handed_in = from_path(file, self.course, self.result)
        else:
            try:
                self.handed_in = find_again(self.out, header, self.result, self.course)
            except SubmissionError as error:
                print(error, file=sys.stderr)
        if self.handed_in and self.handed_in.remark:
            print(self.handed_in.remark, file=sys.stderr)

    def tell(self, exercise: ExerciseResult, *, inputs: bool) -> None:
        """Print the inputs, if asked for, and the command that runs the exercise again."""
        known = self.course.exercise(exercise.id)
        source = self.handed_in.submission.sources.get(exercise.id) if self.handed_in else None
        if source is None:
            if exercise.status not in ("missing", "not_started"):
                _put(["  Run exactly this again:", f"    {self._command('FILE', exercise)}"])
            return
        if inputs and exercise.status not in ("missing", "not_started"):
            self._tell_inputs(exercise, known, source.content)
        _put(["  Run exactly this again:", f"    {self._command(self._place(known), exercise)}"])

    def _command(self, place: object, exercise: ExerciseResult) -> str:
        from grader.classroom.appeal import command_line

        words = ("kata", "grade", place, "--only", exercise.id, "--seed", self.result.record.seed_of(exercise))
        return command_line(*words, "--isolation", self.isolation, "--course", self.course.root)

    def _place(self, exercise: Exercise) -> Path:
        from grader.classroom.handed_in import place_of

        assert self.handed_in is not None
        place = place_of(self.handed_in, exercise, self.out, self.course, self.result.learner)
        return place.absolute()

    def _tell_inputs(self, exercise: ExerciseResult, known: Exercise, content: bytes) -> None:
        from grader.classroom.appeal import told_of_inputs, told_of_source
        from grader.render.wording import score

        again, checks = self._ask_again(exercise, known)
        _put(["  The learner's lines:", *told_of_source(content, known.entry_points)])
        if again.points == exercise.points:
            _put([f"  Asked again just now: {score(again.points)} points, as recorded."])
        else:
            _put(
                [
                    f"  Asked again just now: {score(again.points)} points, where the record has "
                    f"{score(exercise.points)}. The course, the file or this machine is not what it was."
                ]
            )
        _put(told_of_inputs(checks, again))

    def _ask_again(self, exercise: ExerciseResult, known: Exercise) -> tuple[ExerciseResult, dict[str, ShownCheck]]:
        """Grade the exercise again with the same seed; returns the result and values of the checks that do not pass."""
        from grader.judge.shown_case import asked_again

        assert self.handed_in is not None
        level = level_called(self.isolation, chosen_aloud=True)
        refuse_exposed(level, self.course.root)
        seed = self.result.record.seed_of(exercise)
        return asked_again(self.course, level, seed, self.handed_in.submission, known.id)
