"""Explains a learner's lost points to an instructor: each check, with its inputs if wanted, and how to run it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, Exercise
from grader.intake import SubmissionError
from grader.judge.shown_case import asked_again
from grader.record import ExerciseResult
from grader.render.safe_text import safe_line
from grader.render.wording import score
from grader.sandbox.levels import Level

from .appeal import command_line, lost, told_of_inputs, told_of_lost, told_of_policy, told_of_source
from .handed_in import HandedIn, find_again, from_path, place_of, result_of_learner
from .override import graded_exercise
from .results_file import Result
from .run_header import read_run

NOTHING_TO_SHOW = ("missing", "not_started")
"""An exercise in one of these states was not run."""


@dataclass(frozen=True)
class ExplainOptions:
    """What is explained, and how.

    exercise: only this one; all with lost points if None. inputs: run the checks again and show inputs, expected and
    actual values. file: the submission, if it has moved. level: that of the class if None.
    """

    exercise: str | None = None
    inputs: bool = False
    file: Path | None = None
    level: Level | None = None


def explain(
    out: Path, learner: str, course: Course, options: ExplainOptions, say: Callable[[str], None]
) -> Iterator[str]:
    """Yield the lines of an explanation. say: takes sentences about a submission that is not found or has changed.

    Raises KataError for an unknown learner or exercise, and when the checks cannot be run again.
    """
    result = result_of_learner(out, learner)
    record, titles, who = result.record, course.titles, safe_line(result.titled.submission)
    asked = (
        lost(record) if options.exercise is None else [graded_exercise(result, course.exercise(options.exercise).id)]
    )
    if not asked:
        yield f"{who} has all points for all {len(record.exercises)} exercises."
        return
    again = _Again(out, result, course, options, _submission(out, result, course, options.file, say))
    for each in asked:
        yield f"{who}: seed {record.seed_of(each)}"
        yield from told_of_lost(each, titles.get(each.id, each.id))
        yield from again.told(each)
        yield ""
    ids = {each.id for each in asked}
    yield from told_of_policy(record, [each.unit for each in course.exercises if each.id in ids])


def _submission(
    out: Path, result: Result, course: Course, file: Path | None, say: Callable[[str], None]
) -> HandedIn | None:
    try:
        found = from_path(file, course, result) if file else find_again(out, read_run(out), result, course)
    except SubmissionError as error:
        if file:
            raise
        say(str(error))
        return None
    if found.remark:
        say(found.remark)
    return found


@dataclass(frozen=True)
class _Again:
    """How an exercise of one learner is run again."""

    out: Path
    result: Result
    course: Course
    options: ExplainOptions
    handed_in: HandedIn | None

    @property
    def _level(self) -> Level:
        return self.options.level or self.result.record.isolation

    def told(self, exercise: ExerciseResult) -> Iterator[str]:
        """Yield the inputs, if asked for, and the command that runs the exercise again."""
        known, was_run = self.course.exercise(exercise.id), exercise.status not in NOTHING_TO_SHOW
        source = self.handed_in.submission.sources.get(exercise.id) if self.handed_in else None
        if self.handed_in is None or source is None:
            if was_run:
                yield from self._command("FILE", exercise)
            return
        if self.options.inputs and was_run:
            yield from self._inputs(exercise, known, source.content, self.handed_in)
        place = place_of(self.handed_in, known, self.out, self.course, self.result.learner)
        yield from self._command(place.absolute(), exercise)

    def _command(self, place: object, exercise: ExerciseResult) -> Iterator[str]:
        words = ("kata", "grade", place, "--only", exercise.id, "--seed", self.result.record.seed_of(exercise))
        yield "  Run exactly this again:"
        yield f"    {command_line(*words, '--isolation', self._level, '--course', self.course.root)}"

    def _inputs(self, exercise: ExerciseResult, known: Exercise, content: bytes, handed_in: HandedIn) -> Iterator[str]:
        seed = self.result.record.seed_of(exercise)
        again, checks = asked_again(self.course, self._level, seed, handed_in.submission, known.id)
        yield "  The learner's lines:"
        yield from told_of_source(content)
        if again.points == exercise.points:
            yield f"  Asked again just now: {score(again.points)} points, as recorded."
        else:
            yield (
                f"  Asked again just now: {score(again.points)} points, where the record has "
                f"{score(exercise.points)}. The course, the file or this machine is not what it was."
            )
        yield from told_of_inputs(checks, again)
