"""Summarizes a graded class, and writes its pages."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course
from grader.files import write_file
from grader.render.at_work import Gallery
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary
from grader.render.record_page import render_record

from .page_names import page_name
from .played_maps import PlayedOf
from .results_file import disputed, handed_in_nothing, read_results

CLASS_PAGE = "class.html"


def summarize(out: Path, course: Course, *, pages: bool) -> ClassSummary:
    """Summarize the class in OUT, with one record in memory at a time.

    pages: write the class page and a page for each learner too, and remove those of an earlier, larger class.

    Raises KataError when the results cannot be read, OSError when a page cannot be written.
    """
    titles, units = course.titles, course.headings
    summary, gallery, played = ClassSummary(titles, units), Gallery(titles), PlayedOf(out)
    for result in read_results(out):
        link = page_name(result.learner.name) if pages else None
        if link is not None:
            theirs = played(result.learner.name)
            page = render_record(result.titled, titles=titles, units=units, played=theirs)
            write_file(out / link, page.encode("utf-8"))
            gallery.add(result.learner.shown, link, theirs)
        summary.add(result.record, shown=result.learner.shown, link=link, group=result.learner.group)
    for learner in handed_in_nothing(out):
        summary.add_absent(learner.shown)
    for learner in disputed(out):
        summary.add_disputed(learner.shown)
    if pages:
        write_file(out / CLASS_PAGE, render_class(summary, gallery).encode("utf-8"))
        for stale in set(out.glob("learner-*.html")) - {out / (row.link or "") for row in summary.rows}:
            stale.unlink()
    return summary
