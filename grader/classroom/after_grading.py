"""What is asked of a graded class: why points were lost, to set points, to forget a learner, to compare two runs.

What was handed in is in the database. To answer an appeal it is graded again with the run's seed, and so asked the very
same; what the checks asked, expected and got is for instructors alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake import Submission
from grader.render.safe_text import safe_line, visible
from grader.render.verdict import ExerciseVerdict, verdict_on
from grader.render.wording import change, counted, score

from .grading_terms import differences, terms_of
from .results import ClassResults, Result, publish
from .roster import find_learner, name_key
from .store import Row, reading, writing
from .unmatched import UNMATCHED, write_unmatched

# --- an appeal --------------------------------------------------------------------------------------------------------

MOST_LINES = 400  # of a learner's file are printed
MOST_CASES = 4  # of one check are printed: wrong ones come first


def explain(out: Path, learner: str, exercises: Sequence[str], course: Course) -> Iterator[str | ExerciseVerdict]:
    """Yield the parts of an explanation: lines, and verdicts to print. exercises: all with lost points if empty.

    Raises KataError for an unknown learner or exercise, and when the checks cannot be run again.
    """
    with reading(out) as store:
        results = ClassResults(store, course)
        result = results.find(learner, f"kata explain {out}")
        record, who = result.record, safe_line(result.learner.shown)
        asked = [result.exercise(course.exercise(id).id) for id in exercises] or [
            each
            for each in record.exercises
            if min(each.points, each.counted_points) < each.max_points or each.status == "error"
        ]
        if not asked:
            yield f"{who} lost no points."
            return
        for each in asked:
            yield f"{who}, {safe_line(each.id)}: seed {record.seed}"
            verdict = verdict_on(each, title=course.titles.get(each.id, ""))
            yield verdict
            if verdict.is_checked:
                yield from _asked_again(result.rows[each.id], course)
            yield ""
        units = {course.exercise(each.id).unit for each in asked if each.id in course.titles}
        if changes := [each for each in record.adjustments or () if each.unit in units]:
            yield "After grading:"
            yield from (f"  {safe_line(each.reason)} ({change(each)})" for each in changes)


def _asked_again(row: Row, course: Course) -> Iterator[str]:
    """Grade an exercise again; yield the learner's lines, and what the failed checks asked, expected and got."""
    from grader.judge.grading import Judge  # imports torch
    from grader.judge.shown import asked_again

    if row.source is None:
        return
    id, run, before = row.result.id, row.run, row.result.points
    with closing(Judge(course, run.level, run.seed, [id])) as judge:
        submission = Submission(id, {id: row.source}, ())
        again, cases = asked_again(judge, submission, lambda check: check.outcome == "failed")
    yield f"  The learner's lines (at most {MOST_LINES}):"
    lines = re.split(r"\r\n|\r|\n", row.source.content.decode("utf-8", "replace"))  # they end where Python ends them
    yield from (f"    {number:4} | {visible(line)}".rstrip() for number, line in enumerate(lines[:MOST_LINES], 1))
    same = "as recorded"
    if again.points != before:
        same = f"where the record has {score(before)}: the course or this machine is not what it was"
    yield f"  Asked again just now: {score(again.points)} points, {same}."
    for check in again.checks:
        shown = sorted((case for case in cases if case.check is check), key=lambda case: not case.is_wrong)
        for number, case in enumerate(shown[:MOST_CASES], 1):
            came = ", which came out wrong" if case.is_wrong else ""
            yield f"  {safe_line(check.title or check.name)} Case {number} of {len(shown)}{came}:"
            for head, values in case.text().items():
                yield f"    {head}:"
                yield from (f"      {visible(part)}" for value in values for part in value.split("\n"))


# --- points set by hand -----------------------------------------------------------------------------------------------

BACK = "back"  # in place of points: takes an earlier override back


def override_points(out: Path, learner: str, exercise: str, points: str, reason: str, course: Course) -> list[str]:
    """Set a learner's points for an exercise; points: a number, or BACK. Returns sentences on what that has changed.

    Raises KataError for an unknown learner or exercise, points that are none, or a blank reason; OSError.
    """
    if not reason.strip():
        raise KataError("--reason must say why: whoever looks at these points later has nothing else.")
    id = course.exercise(exercise).id
    with writing(out) as store:
        results = ClassResults(store, course)
        result = results.find(learner, f"kata override {out}")
        most = result.exercise(id).max_points
        if points != BACK and not (points.replace(".", "", 1).isdecimal() and float(points) <= most):
            raise KataError(f"Points for {id} are a number from 0 to {most:g}, or {BACK}; {points!r} is none.")
        set_to = None if points == BACK else float(points)
        store.override(results.run, result.learner.id, id, set_to, " ".join(reason.split()))
        _, remarks = publish(ClassResults(store, course))
    what = "as graded" if set_to is None else f"set to {score(set_to)} points"
    return [f"{safe_line(result.learner.name)}, {id}: {what}.", *remarks]


# --- forgetting a learner ---------------------------------------------------------------------------------------------

OUT_OF_REACH = """\
Out of reach from here:
  what they handed in, where it lies: take it away there too, or --resume grades it again
  the same work in the records of others of their group, which may name them
  the roster, where it lies as a file: take them out there too before you give it again
  pages and exports that lie elsewhere, were sent or uploaded, such as the marks in a learning platform
  nbgrader's folders and gradebook (`nbgrader db student remove ID`), and copies in backups"""


def forget_learner(out: Path, text: str, course: Course) -> Iterator[str]:
    """Remove the learner whom a text means; yields lines for people on what was removed, and what was not.

    Of unmatched.csv only what a person gave to others stays: the rest may name the learner, and the next run that goes
    on writes it anew. Raises KataError when the text means nobody or several, OSError.
    """
    with writing(out) as store:
        everyone = store.learners()
        learner = find_learner(everyone, text, out, f"kata forget {out}")
        kept = [row for row in store.unmatched() if row.learner not in ("", learner.id)]
        with store.forgetting(learner.id, kept):  # whoever is ended in this block can forget them again
            write_unmatched(out / UNMATCHED, kept)
            _, remarks = publish(ClassResults(store, course))
        yield f"Taken out of {out}: {learner.shown}"
        if same := [
            each.shown for each in everyone if each != learner and name_key(each.name) == name_key(learner.name)
        ]:
            yield f"Called alike, and still here: {', '.join(same)}."
    yield from remarks
    yield from OUT_OF_REACH.splitlines()


# --- two runs ---------------------------------------------------------------------------------------------------------


def compared(one: Path, other: Path | None, course: Course) -> Iterator[str]:
    """Yield lines on the differences of two graded classes; of one class, between its last run and the one before.

    Raises KataError when one cannot be read, or there is only one run.
    """
    with reading(one) as first, reading(other or one) as second:
        names = (str(one), str(other)) if other else ("the run before", "the last run")
        earlier = first.runs if other else first.runs[:-1]
        if not earlier:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        before, after = ClassResults(first, course, earlier[-1]), ClassResults(second, course)
        terms = differences(before.run, after.run).values()
        yield f"On other terms: {'; '.join(terms)}." if terms else "On the same terms."
        old, new = ({each.id: each for each in results.learners} for results in (before, after))
        for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
            if alone := [learner for learner in mine if learner not in theirs]:
                yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
        both = [id for id in old if id in new]
        moves = [(id, move) for id in both for move in _moves(before.of(old[id]), after.of(new[id]))]
        yield from (f"  {safe_line(id)}  {move}" for id, move in moves)
        moved = len({id for id, _ in moves})
        yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(len(both), 'learner')} in both."


def _moves(old: Result, new: Result) -> Iterator[str]:
    """The points of a learner that count and differ, and why. Where the grader failed there are none."""
    before, now = (
        {each.id: score(each.counted_points) for each in result.record.exercises if each.status != "error"}
        for result in (old, new)
    )
    for id in dict.fromkeys([*old.rows, *new.rows]):
        if before.get(id) != now.get(id):
            move = f"{before.get(id, 'none')} -> {now.get(id, 'none')}"
            yield f"{safe_line(id)}  {move}  ({_reason(id, old, new)})"


def _reason(id: str, old: Result, new: Result) -> str:
    """What a result depends on and differs, in words."""
    if id not in old.rows or id not in new.rows:
        return "the exercises that were chosen, or that the course has"
    before, now = (
        terms_of(row.run, id)
        | {"what was handed in": row.digest, "a fault of the grader": row.result.status == "error"}
        for row in (old.rows[id], new.rows[id])
    )
    what = [name for name, value in before.items() if now[name] != value]
    return " and ".join(what) or "the policy, the roster or what is set by hand"
