"""Answers an appeal, for instructors: where a learner lost points, and what the checks asked, expected and got.

What was handed in is in the database. It is graded again with the run's seed, and so asked the very same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course import Course
from grader.judge.shown import AnsweredCase, asked_again
from grader.record import ExerciseResult
from grader.render.safe_text import safe_block, safe_line, visible
from grader.render.wording import MARKS, NOT_GRADED, change, score

from .results import ClassResults
from .store import Row, reading

MESSAGE_LINES = 60
MOST_LINES = 400
"""Lines of a learner's file that are printed."""
MOST_CASES = 4
"""Cases of one check that are printed: wrong ones come first."""
_NOTHING = {
    "missing": "There is no file for this exercise.",
    "not_started": "This is still the file as it was given.",
}


def explain(out: Path, learner: str, exercises: Sequence[str], course: Course) -> Iterator[str]:
    """Yield the lines of an explanation. exercises: only these; all with lost points if empty.

    Raises KataError for an unknown learner or exercise, and when the checks cannot be run again.
    """
    with reading(out) as store:
        results = ClassResults(store, course)
        result = results.find(learner, f"kata explain {out}")
        record, who = result.record, safe_line(result.titled.submission)
        lost = [
            each
            for each in record.exercises
            if min(each.points, each.counted_points) < each.max_points or each.status == "error"
        ]
        asked = [result.exercise(course.exercise(id).id) for id in exercises] or lost
        if not asked:
            yield f"{who} lost no points."
            return
        for each in asked:
            yield f"{who}: seed {record.seed}"
            yield from _told_of_lost(each, course.titles.get(each.id, each.id))
            yield from _told_again(results, result.rows[each.id])
            yield ""
        units = {each.unit for each in course.exercises if each.id in {one.id for one in asked}}
        if changes := [each for each in record.adjustments or () if each.unit in units]:
            yield "After grading:"
            yield from (f"  {safe_line(each.reason)} ({change(each)})" for each in changes)


def _told_of_lost(exercise: ExerciseResult, title: str) -> Iterator[str]:
    """Yield every lost point of an exercise: the check's title, its message unless it is that above, mistakes."""
    earned = f"{score(exercise.points)} of {score(exercise.max_points)} points"
    if exercise.counted_points != exercise.points:
        earned += f", of which {score(exercise.counted_points)} count after the policy and what was set by hand"
    yield f"{safe_line(exercise.id)}, {safe_line(title)}: {MARKS[exercise.status].word}, {earned}"
    if exercise.status == "error":
        yield f"  {NOT_GRADED}"
    elif exercise.status in _NOTHING:
        yield f"  {_NOTHING[exercise.status]}"
        return
    said = ""
    for check in exercise.checks:
        if check.points < check.max_points or check.outcome in ("failed", "error"):
            points = f"{score(check.points)} of {score(check.max_points)} points"
            yield f"  - {safe_line(check.title or check.name)} ({points}; {safe_line(check.name)}, {check.outcome})"
            if check.message.strip() and check.message != said:
                yield from (f"      {line}" for line in safe_block(check.message, MESSAGE_LINES))
            said = check.message
    for diagnosis in exercise.diagnosis:
        yield f"  Probably: {safe_line(diagnosis.message)} ({safe_line(diagnosis.mistake)})"


def _told_again(results: ClassResults, row: Row) -> Iterator[str]:
    """Grade an exercise again; yield the learner's lines, and what the failed checks asked."""
    before, submission = row.result, results.store.submission(row.submission)
    source = submission.sources.get(before.id)
    if source is None or before.status in _NOTHING:
        return
    run = results.runs[row.run]
    again, checks = asked_again(results.course, run.level, run.seed, submission, before.id)
    yield "  The learner's lines:"
    lines = re.split(r"\r\n|\r|\n", source.content.decode("utf-8", "replace"))  # lines end where Python ends them
    yield from (f"    {number:4} | {visible(line)}".rstrip() for number, line in enumerate(lines[:MOST_LINES], 1))
    if (left := len(lines) - MOST_LINES) > 0:
        yield f"    ... ({left} more lines)"
    if again.points == before.points:
        yield f"  Asked again just now: {score(again.points)} points, as recorded."
    else:
        yield (
            f"  Asked again just now: {score(again.points)} points, where the record has {score(before.points)}. "
            "The course or this machine is not what it was."
        )
    for check in again.checks:
        if shown := checks.get(check.name):
            yield f"  {safe_line(check.title or check.name)}"
            yield from _told_of_inputs(shown)


def _told_of_inputs(cases: Sequence[AnsweredCase]) -> Iterator[str]:
    """Yield inputs, expected and actual values of a check that did not pass."""
    for number, case in enumerate(cases[:MOST_CASES], 1):
        yield f"    Case {number}, {'which came out wrong' if case.differs else 'which came out right'}:"
        for head, lines in case.text().items():
            yield f"      {head}:"
            yield from (f"        {visible(part)}" for line in lines for part in line.split("\n"))
    if (left := len(cases) - MOST_CASES) > 0:
        yield f"    and {left} more cases"
