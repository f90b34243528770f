"""A graded class as everything reads it: each learner's record, put together from the database, with final points.

    with reading(out) as store:
        for result in ClassResults(store, course):      # in class order, one record in memory at a time
            result.record, result.learner.name

Final points are worked out here and nowhere stored: from the record, the roster, what was set by hand, and course.yml.
What people read is written from it: results.jsonl and pages.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.files import UNFINISHED, safe_name, write_file
from grader.record import POINTS_TOLERANCE, VERSION, ExerciseResult, Record, totals
from grader.render.class_summary import ClassSummary
from grader.render.wording import first_few, score

from .final_points import HandIn, adjusted
from .grading_terms import Run, run_of
from .roster import Learner, find_learner
from .store import DATABASE, RESULTS, Row, Store
from .unmatched import UNMATCHED

CLASS_PAGE = "class.html"
WRITTEN_ANEW = (DATABASE, f"{DATABASE}-journal", RESULTS, UNMATCHED, CLASS_PAGE)


@dataclass(frozen=True)
class Result:
    """One learner's record with final points, and the learner. rows: by exercise, what is stored of it."""

    record: Record
    learner: Learner
    rows: Mapping[str, Row] = field(default_factory=dict)

    @property
    def titled(self) -> Record:
        """The record with the learner's display name and id as its title, for a page or a table."""
        return self.record.model_copy(update={"submission": self.learner.shown})

    def exercise(self, id: str) -> ExerciseResult:
        """The result of an exercise. Raises KataError when it was not graded."""
        for each in self.record.exercises:
            if each.id == id:
                return each
        raise KataError(f"{id} was not graded in this run.")


class ClassResults:
    """The results of a class as of one run, the last by default. Iterating yields each learner with a record.

    learners: those who have a record, in class order. ungraded: those who handed in something and have none, after a
    stopped run. absent: those of whom nothing was handed in; not who was taken out of the roster since.
    """

    def __init__(self, store: Store, course: Course, run: Run | None = None) -> None:
        self.store, self.course = store, course
        self.run = run or store.runs[-1]
        everyone = store.standing(self.run)
        self.learners, self.ungraded, self.absent = (
            [learner for learner, standing in everyone if standing == one] for one in ("graded", "waiting", "absent")
        )

    def __iter__(self) -> Iterator[Result]:
        return map(self.of, self.learners)

    def find(self, text: str, command: str) -> Result:
        """The record of the learner whom a text means. Raises KataError when it is nobody, or could be several."""
        return self.of(find_learner(self.learners, text, self.store.folder, command))

    def of(self, learner: Learner) -> Result:
        """The record of a learner who has one; its course, digest and terms are those of what was graded last."""
        known = self.store.rows(learner.id, self.run)
        rows = {id: known[id] for id in (*self.course.titles, *known) if id in known}
        run = max((row.run for row in rows.values()), key=lambda each: each.id)
        _, digest, problems = self.store.last_submission(learner.id, self.run)
        results = tuple(row.result for row in rows.values())
        graded = Record(
            version=VERSION,
            submission=learner.id,
            isolation=run.level,
            seed=run.seed,
            course=run.stamp,
            exercises=results,
            problems=problems,
            digest=digest,
            **totals(results),
        )
        hand_in = replace(learner.hand_in, overrides=self.store.overrides(learner.id, self.run))
        return Result(adjusted(graded, self.course, hand_in), learner, rows)


def final_record(record: Record, course: Course) -> Record:
    """A record with the course's digest and final points. Raises OSError when a file of the course cannot be read."""
    stamp = run_of(course, record.isolation, record.seed).stamp
    return adjusted(record.model_copy(update={"course": stamp}), course, HandIn())


def without_time(names: Sequence[str], course: Course) -> list[str]:
    """A sentence about learners whose hand-in time is unknown, if the policy needs it."""
    if not (names and course.policy.due):
        return []
    return [f"When they handed in is not known, so they count as in time: {first_few(names)}."]


# --- what people read -------------------------------------------------------------------------------------------------


def publish(results: ClassResults, *, pages: bool = False) -> tuple[ClassSummary, list[str]]:
    """Write everything in OUT anew but unmatched.csv, which a person fills in; pages if they are wanted, or are there.

    Returns the summary of the class, and sentences on what the policy has to know, on whose final points are not those
    that were there, and on what else lies in OUT.
    Raises KataError when the database cannot be read, OSError when a file cannot be written.
    """
    out, course = results.store.folder, results.course
    summary = ClassSummary(course.titles, course.headings)
    pages, before, changed = pages or (out / CLASS_PAGE).exists(), _published(out), []
    if pages:
        from grader.render.pages import render_class, render_record

    def lines() -> Iterator[bytes]:
        for result in results:
            learner, now, link = result.learner, result.record.counted_points, None
            if pages:
                sources = {id: row.source.content for id, row in result.rows.items() if row.source}
                page = render_record(result.titled, titles=course.titles, units=course.headings, sources=sources)
                link = page_name(learner.id)
                write_file(out / link, page.encode("utf-8"))
            summary.add(result.record, shown=learner.name, link=link, group=learner.group)
            old = before.get(learner.id, now)
            if abs(now - old) > POINTS_TOLERANCE:
                changed.append(f"{learner.name} {score(old)} -> {score(now)}")
            yield f"{result.record.to_json()}\n".encode()

    write_file(out / RESULTS, lines())
    summary.absent += [learner.name for learner in results.absent]
    summary.unmatched += [each.entry for each in results.store.unmatched() if each.is_submission]
    if pages:
        write_file(out / CLASS_PAGE, render_class(summary).encode("utf-8"))
    remarks = without_time([each.name for each in results.learners if not each.hand_in.at], course)
    if changed:
        remarks.append(f"Final points changed: {first_few(changed)}.")
    if (left := _left_in(out, {page_name(each.id) for each in results.learners})) and before:
        remarks.append(f"Not written anew: {', '.join(left)}. Export again (--force), or take away.")
    return summary, remarks


def _left_in(out: Path, pages: Collection[str]) -> list[str]:
    """The names of what is not ours in OUT. Pages of learners but these are taken away, and what killed runs began."""
    for path in (*out.glob("learner-*.html"), *out.glob(f"{UNFINISHED}*")):
        if path.name not in pages and not path.is_dir():
            path.unlink()
    names = (path.name for path in out.iterdir())
    return sorted(name for name in names if name not in (*WRITTEN_ANEW, *pages) and not name.startswith("."))


def _published(out: Path) -> dict[str, float]:
    """The points that count by OUT/results.jsonl at the moment, by learner; nothing of what cannot be read."""
    found: dict[str, float] = {}
    with (
        suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError),
        (out / RESULTS).open("rb") as lines,
    ):
        for record in map(json.loads, lines):
            found[record["submission"]] = float(record.get("final_points", record["points"]))
    return found


def page_name(id: str) -> str:
    """The file name of a learner's page."""
    return f"learner-{safe_name(id)}.html"
