"""What is asked about one learner of a graded class: why points were lost, to set points, to forget the learner.

What was handed in is in the database. To answer an appeal it is graded again with the run's seed, and so asked the very
same; what the checks asked, expected and got is for instructors alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import Course
from grader.errors import KataError
from grader.record import ExerciseResult
from grader.render.safe_text import safe_block, safe_line, visible
from grader.render.wording import MARKS, NOT_GRADED, change, counted, score

from .class_contents import UNMATCHED, Unmatched
from .results import CLASS_PAGE, ClassResults, changed_aside, is_page, page_name, publish, published
from .roster import Finder, Learner, find_learner, folded
from .store import DATABASE, LOCK, RESULTS, Row, reading, writing

if TYPE_CHECKING:
    from grader.judge.shown import AnsweredCase

# --- an appeal --------------------------------------------------------------------------------------------------------

MESSAGE_LINES = 60
MOST_LINES = 400
"""Lines of a learner's file that are printed."""
MOST_CASES = 4
"""Cases of one check that are printed: wrong ones come first."""
_NOTHING = {"missing": "There is no file for this exercise.", "not_started": "This is still the file as it was given."}


def explain(out: Path, learner: str, exercises: Sequence[str], course: Course) -> Iterator[str]:
    """Yield the lines of an explanation. exercises: only these; all with lost points if empty.

    Raises KataError for an unknown learner or exercise, and when the checks cannot be run again.
    """
    with reading(out) as store:
        results = ClassResults(store, course)
        result = results.find(learner, f"kata explain {out}")
        record, who = result.record, safe_line(result.titled.submission)
        asked = [result.exercise(course.exercise(id).id) for id in exercises] or [
            each
            for each in record.exercises
            if min(each.points, each.counted_points) < each.max_points or each.status == "error"
        ]
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
    from grader.judge.shown import asked_again  # imports torch

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


# --- points set by hand -----------------------------------------------------------------------------------------------

BACK = "back"
"""In place of points: takes an earlier override back."""


def override_points(
    out: Path, learner: str, exercise: str, points: str, reason: str, course: Course
) -> tuple[str, list[str]]:
    """Set a learner's points for an exercise; points: a number, or BACK. Returns what was set, and remarks: sentences.

    Raises KataError for an unknown learner or exercise, points that are none, or a blank reason; OSError.
    """
    if not reason.strip():
        raise KataError("--reason must say why: whoever looks at these points later has nothing else.")
    id = course.exercise(exercise).id
    with writing(out) as store:
        before = ClassResults(store, course)
        result = before.find(learner, f"kata override {out}")
        old, totals = result.exercise(id), published(out)
        store.override(before.run, result.learner.id, id, _points(points, old), " ".join(reason.split()))
        results = ClassResults(store, course)
        new = results.of(result.learner).exercise(id)
        publish(results)
        remarks = [*changed_aside(totals, results, {result.learner.id}), *results.remarks()]
    moved = f"{score(old.counted_points)} -> {score(new.counted_points)} points"
    return f"{safe_line(result.learner.name)}, {id}: {moved}.", remarks


def _points(text: str, exercise: ExerciseResult) -> float | None:
    """The number, from 0 to the exercise's maximum; None for BACK."""
    if text == BACK:
        return None
    try:
        if 0 <= (number := float(text)) <= exercise.max_points:
            return number
    except ValueError:
        pass
    raise KataError(
        f"Points for {exercise.id} are a number from 0 to {exercise.max_points:g}, or {BACK}; {text!r} is none."
    )


# --- forgetting a learner ---------------------------------------------------------------------------------------------

LEAST_LETTERS = 3
"""Shorter names are not searched in texts: they are part of too many words."""
WRITTEN_ANEW = (DATABASE, RESULTS, UNMATCHED, CLASS_PAGE, LOCK)
OUT_OF_REACH = """\
Out of reach from here:
  what they handed in ({}): take it away there too, or --resume grades it again
  the roster, where it lies as a file: take them out there too before you give it again
  pages and exports that lie elsewhere, were sent or uploaded, such as the marks in a learning platform
  nbgrader's folders and gradebook (`nbgrader db student remove ID`), and copies in backups"""


def forget_learner(out: Path, text: str, course: Course) -> Iterator[str]:
    """Remove the learner whom a text means; yields lines for people on what was removed, and what was not.

    Raises KataError when it means nobody or several, OSError.
    """
    with writing(out) as store:
        everyone = store.learners()
        learner = find_learner(everyone, text, out, f"kata forget {out}")
        others = [each for each in everyone if each.id != learner.id]
        yield f"Taken out of {out}: {learner.name if learner.name == learner.id else f'{learner.name} ({learner.id})'}"
        for table, count in store.forget(learner.id, _telling_of(learner, others, store.unmatched())).items():
            yield f"  {table}: {counted(count, 'row')}"
        (out / page_name(learner.id)).unlink(missing_ok=True)
        publish(ClassResults(store, course))
        submissions = store.runs()[-1].submissions
    if group := [each.id for each in others if learner.group and folded(each.group) == folded(learner.group)]:
        yield (
            f"Who handed in with them, as the group {learner.group}, keeps a record of the same work, and the work "
            f"itself, which may name them: {', '.join(group)}."
        )
    names = sorted(path.name for path in out.iterdir())
    if left := [name for name in names if name not in WRITTEN_ANEW and not is_page(name)]:
        yield f"Not written anew, and may hold them: {', '.join(left)}. Export again (--force), or take away."
    yield from OUT_OF_REACH.format(submissions).splitlines()


def _telling_of(learner: Learner, others: Sequence[Learner], rows: Sequence[Unmatched]) -> Iterator[Unmatched]:
    """The rows of unmatched.csv that tell of a learner: by their names, or because others with their name are listed.

    What a person gave to another stays the other's. The words of a reason that are ours are nobody's name.
    """
    finder = Finder([learner, *others])
    theirs, elses = ({name for each in some for name in _names(each)} for some in ([learner], others))
    names = [name for name in theirs - elses if len(name) >= LEAST_LETTERS and not name.isdigit()]
    words = [re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in names]
    listed = {row.entry for row in rows if any(each.search(row.entry) for each in words)}
    shown = (f"{learner.name} ({learner.id})'s", f" {learner.id}'s")  # as `Owners.shown` calls them
    for row in rows:
        given = finder.find(row.learner) if row.learner else ()
        is_told = row.is_submission and any(each in row.why for each in (*shown, *listed))
        if learner in given if given else row.entry in listed or is_told:
            yield row


def _names(learner: Learner) -> set[str]:
    return {learner.id, learner.name, learner.email, *learner.ids} - {""}
