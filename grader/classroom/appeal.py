"""Answers an appeal, for instructors: the points lost at each check, with which values, and how to reproduce it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from grader.record import CheckResult, ExerciseResult, Record
from grader.render.safe_text import safe_block, safe_line, visible
from grader.render.wording import MARKS, NOT_GRADED, change, score

if TYPE_CHECKING:
    from grader.judge.shown_case import ShownCase, ShownCheck

MESSAGE_LINES = 60
MOST_LINES = 400
"""Lines of a learner's file that are printed."""


def lost(record: Record) -> list[ExerciseResult]:
    """The exercises of a record without full points."""
    return [
        each
        for each in record.exercises
        if min(each.points, each.counted_points) < each.max_points or each.status == "error"
    ]


def told_of_lost(exercise: ExerciseResult, title: str) -> Iterator[str]:
    """Yield every lost point of an exercise: the check's title, its message, and the known mistakes."""
    earned = f"{score(exercise.points)} of {score(exercise.max_points)} points"
    if exercise.counted_points != exercise.points:
        earned += f", of which {score(exercise.counted_points)} count after the policy and what was set by hand"
    yield f"{safe_line(exercise.id)}, {safe_line(title)}: {MARKS[exercise.status].word}, {earned}"
    if exercise.status == "error":
        yield f"  {NOT_GRADED}"
    elif exercise.status in ("missing", "not_started"):
        yield f"  {_NOTHING[exercise.status]}"
        return
    for check in exercise.checks:
        if check.points < check.max_points or check.outcome in ("failed", "error"):
            yield from _check(check)
    for diagnosis in exercise.diagnosis:
        yield f"  Probably: {safe_line(diagnosis.message)} ({safe_line(diagnosis.mistake)})"


_NOTHING = {
    "missing": "There is no file for this exercise.",
    "not_started": "This is still the file as it was given.",
}


def _check(check: CheckResult) -> Iterator[str]:
    points = f"{score(check.points)} of {score(check.max_points)} points"
    yield f"  - {safe_line(check.title or check.name)} ({points}; {safe_line(check.name)}, {check.outcome})"
    if check.message.strip():
        yield from (f"      {line}" for line in safe_block(check.message, MESSAGE_LINES))


def told_of_policy(record: Record, units: Iterable[str]) -> Iterator[str]:
    """Yield what the course's policy changed in the points of these units."""
    wanted = set(units)
    told = [each for each in record.adjustments or () if each.unit in wanted]
    if told:
        yield "After grading:"
        yield from (f"  {safe_line(each.reason)} ({change(each)})" for each in told)


def told_of_inputs(checks: Mapping[str, ShownCheck], exercise: ExerciseResult) -> Iterator[str]:
    """Yield inputs, expected and actual values of each check that did not pass."""
    for check in exercise.checks:
        if shown := checks.get(check.name):
            yield f"  {safe_line(check.title or check.name)}"
            for number, case in enumerate(shown.cases, 1):
                yield from _case(case, number)
            if shown.left_out:
                yield f"    and {shown.left_out} more cases"


def _case(case: ShownCase, number: int) -> Iterator[str]:
    yield f"    Case {number}, {'which came out wrong' if case.is_wrong else 'which came out right'}:"
    for head, lines in (("asked", case.asked), ("expected", case.expected), ("came", case.came)):
        yield f"      {head}:"
        for line in lines:
            yield from (f"        {visible(part)}" for part in line.split("\n"))


def told_of_source(content: bytes) -> Iterator[str]:
    """Yield a learner's file with numbers of lines."""
    lines = re.split(r"\r\n|\r|\n", content.decode("utf-8", "replace"))  # lines end where Python ends them
    for number, line in enumerate(lines[:MOST_LINES], 1):
        yield f"    {number:4} | {visible(line)}".rstrip()
    if (left := len(lines) - MOST_LINES) > 0:
        yield f"    ... ({left} more lines)"


def command_line(*words: object) -> str:
    """A command that can be pasted into a shell."""
    return visible(shlex.join(map(str, words)))
