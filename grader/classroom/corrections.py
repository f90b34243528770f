"""What a person changes in a graded class: points of one exercise of one learner, and whether a learner is in it."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.record import ExerciseResult
from grader.render.wording import counted

from .class_contents import UNMATCHED, Unmatched
from .grade import UNPACKED
from .results import CLASS_PAGE, ClassResults, changed_aside, is_page, page_name, publish, published
from .roster import Finder, Learner, find_learner, folded
from .store import DATABASE, LOCK, RESULTS, writing

BACK = "back"
"""In place of points: takes an earlier override back."""


@dataclass(frozen=True)
class Overridden:
    """What was set: the points that count, before and after. remarks: sentences for the person who did it."""

    learner: str
    exercise: str
    before: float
    after: float
    remarks: tuple[str, ...]


def override_points(out: Path, learner: str, exercise: str, points: str, reason: str, course: Course) -> Overridden:
    """Set a learner's points for an exercise. points: a number, or BACK.

    Raises KataError for an unknown learner or exercise, points that are none, or a blank reason; OSError.
    """
    if not reason.strip():
        raise KataError("--reason must say why: whoever looks at these points later has nothing else.")
    id = course.exercise(exercise).id
    with writing(out) as store:
        before = ClassResults(store, course)
        result = before.find(learner, f"kata override {out}")
        old = result.exercise(id)
        totals = published(out)
        store.override(before.run, result.learner.id, id, _points(points, old), " ".join(reason.split()))
        results = ClassResults(store, course)
        new = results.of(result.learner).exercise(id)
        publish(out, results)
        remarks = [*changed_aside(totals, results, {result.learner.id}), *results.remarks()]
    return Overridden(result.learner.name, id, old.counted_points, new.counted_points, tuple(remarks))


def _points(text: str, exercise: ExerciseResult) -> float | None:
    """The number, from 0 to the exercise's maximum; None for BACK."""
    if text == BACK:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= exercise.max_points:
        raise KataError(
            f"Points for {exercise.id} are a number from 0 to {exercise.max_points:g}, or {BACK}; {text!r} is none."
        )
    return number


# --- forgetting a learner ----------------------------------------------------------------------------------------

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
        names = _names(learner) - {name for each in others for name in _names(each)}
        telling = sorted(name for name in names if len(name) >= LEAST_LETTERS and not name.isdigit())
        yield f"Taken out of {out}: {learner.name if learner.name == learner.id else f'{learner.name} ({learner.id})'}"
        theirs = _telling_of(learner, telling, store.unmatched(), Finder(everyone))
        for table, count in store.forget(learner.id, theirs).items():
            yield f"  {table}: {counted(count, 'row')}"
        shutil.rmtree(out / UNPACKED, ignore_errors=True)
        (out / page_name(learner.id)).unlink(missing_ok=True)
        publish(out, ClassResults(store, course))
        submissions = store.runs()[-1].submissions
    if group := [each.id for each in others if learner.group and folded(each.group) == folded(learner.group)]:
        yield (
            f"Who handed in with them, as the group {learner.group}, keeps a record of the same work, and the work "
            f"itself, which may name them: {', '.join(group)}."
        )
    yield from _left(out)
    yield from OUT_OF_REACH.format(submissions).splitlines()


def _names(learner: Learner) -> set[str]:
    """All names and numbers of a learner."""
    return {learner.id, learner.name, learner.email, *learner.ids} - {""}


def _telling_of(
    learner: Learner, names: Sequence[str], rows: Sequence[Unmatched], finder: Finder
) -> Iterator[Unmatched]:
    """The rows of unmatched.csv that tell of a learner: by their names, or because others with their name are listed.

    What a person gave to another stays the other's. The words of a reason that are ours are nobody's name.
    """
    words = [re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in names]
    listed = {row.entry for row in rows if any(each.search(row.entry) for each in words)}
    shown = (f"{learner.name} ({learner.id})'s", f" {learner.id}'s")  # as `Owners.shown` calls them
    for row in rows:
        given = finder.find(row.learner) if row.learner else ()
        is_told = row.is_submission and any(each in row.why for each in (*shown, *listed))
        if learner in given if given else row.entry in listed or is_told:
            yield row


def _left(out: Path) -> Iterator[str]:
    """A sentence on exports in OUT, and on what people put there: all that is not written anew."""
    names = [path.name for path in sorted(out.iterdir()) if path.name not in WRITTEN_ANEW]
    if others := [name for name in names if not is_page(name)]:
        yield f"Not written anew, and may hold them: {', '.join(others)}. Export again (--force), or take away."
