"""Writes what people read of a graded class, from its database: results.jsonl, pages, unmatched.csv."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from grader.files import write_file
from grader.intake.names import first_few
from grader.played import from_bytes
from grader.record import POINTS_TOLERANCE
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary
from grader.render.heatmap_svg import Gallery
from grader.render.record_page import render_record
from grader.render.wording import score

from .page_names import page_name
from .results import ClassResults, Result
from .store import RESULTS
from .unmatched import UNMATCHED, write_unmatched

CLASS_PAGE = "class.html"
EXPORTS = ("grades.csv", "grades-by-exercise.csv", "canvas.csv", "moodle.csv", "moodle-worksheet.csv", "junit.xml",
           "pages.zip", "gradescope", "github")  # fmt: skip
"""What `kata export` writes into OUT if it is not told where."""


def publish(out: Path, results: ClassResults, *, pages: bool = False) -> ClassSummary:
    """Write everything anew; pages if they are wanted, or are there. Returns the summary of the class.

    Raises KataError when the database cannot be read, OSError when a file cannot be written.
    """
    course = results.course
    summary, gallery = ClassSummary(course.titles, course.headings), Gallery(course.titles)
    pages = pages or (out / CLASS_PAGE).exists()

    def lines() -> Iterator[bytes]:
        for result in results:
            link = _write_page(out, result, results, gallery) if pages else None
            summary.add(result.record, shown=result.learner.name, link=link, group=result.learner.group)
            yield f"{result.record.to_json()}\n".encode()

    write_file(out / RESULTS, lines())
    write_unmatched(out / UNMATCHED, unmatched := results.store.unmatched())
    for learner in results.absent:
        summary.add_absent(learner.name)
    for each in unmatched:
        if each.is_submission:
            summary.add_unmatched(each.entry)
    if pages:
        write_file(out / CLASS_PAGE, render_class(summary, gallery).encode("utf-8"))
        for stale in set(out.glob("learner-*.html")) - {out / (row.link or "") for row in summary.rows}:
            stale.unlink()
    return summary


def _write_page(out: Path, result: Result, results: ClassResults, gallery: Gallery) -> str:
    course, link = results.course, page_name(result.learner.id)
    maps = from_bytes(results.store.played(result.learner.id)) or {}
    page = render_record(
        result.titled,
        titles=course.titles,
        units=course.headings,
        played=maps,
        sources=results.sources(result.learner.id),
    )
    write_file(out / link, page.encode("utf-8"))
    gallery.add(result.learner.name, link, maps)
    return link


Totals = dict[str, float]
"""The points that count, by learner."""


def published(out: Path) -> Totals:
    """The points that OUT/results.jsonl says at the moment; nothing of what cannot be read."""
    found: Totals = {}
    try:
        with (out / RESULTS).open("rb") as lines:
            for line in lines:
                record = json.loads(line)
                found[record["submission"]] = record.get("final_points", record["points"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return found


def changed_aside(before: Totals, summary_of: ClassResults, named: set[str]) -> Iterator[str]:
    """A sentence on learners whose points are not what results.jsonl said, though no work of theirs was touched.

    named: those who are told of elsewhere.
    """
    told = [
        f"{result.learner.id} {score(old)} -> {score(result.record.counted_points)}"
        for result in summary_of
        if (old := before.get(result.learner.id)) is not None and result.learner.id not in named
        if abs(old - result.record.counted_points) > POINTS_TOLERANCE
    ]
    if told:
        yield f"Final points also changed, since course.yml or the roster did: {first_few(told)}."


def stale_exports(out: Path) -> Iterator[str]:
    """A sentence on exports in OUT that are of an earlier state."""
    if there := [name for name in EXPORTS if (out / name).exists()]:
        yield f"Exported before this, so export it again: {', '.join(there)}."
