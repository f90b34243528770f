"""What people see of an autograded notebook: `nbgrader generate_feedback`'s page, and the code in formgrader.

The page names the exercises, shows what the checks found and the code that was graded, and leaves out the lesson and
every other cell. It runs nothing and fetches nothing.
"""

from __future__ import annotations

import re
from datetime import timedelta
from html import escape
from typing import Any

from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbconvert.filters import markdown2html
from nbconvert.filters.highlight import Highlight2HTML
from nbgrader.api import Gradebook

from grader.classroom.final_points import duration
from grader.render.pages import render_page

from .cells import OURS, REFLECTION, exercise_of, grade_id_of, kind_of


class FeedbackPage(Exporter):
    """Exports an autograded notebook as the page that its learner gets."""

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> tuple[str, Any]:
        """The page. The points are those in the gradebook now."""
        nb, resources = super().from_notebook_node(nb, resources, **options)
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            submission = book.find_submission(names["assignment"], names["student"])
            notebook = book.find_submission_notebook(names["notebook"], names["assignment"], names["student"])
            penalty = notebook.late_submission_penalty or 0.0
            seconds = submission.total_seconds_late
            page = render_page(
                "feedback.html.j2",
                title=names["notebook"],
                learner=names["student"],
                parts=_parts(nb, notebook),
                points=notebook.score - penalty,
                max_points=notebook.max_score,
                late=duration(timedelta(seconds=seconds)) if seconds > 0 else "",
                penalty=penalty,
            )
        return page, resources


def _parts(nb: Any, notebook: Any) -> list[dict[str, Any]]:
    """The graded parts of a notebook, in its order. notebook: nbgrader's SubmittedNotebook.

    Of each: its title and points, whether it waits for a person's, what the checks found, the learner's code or text,
    and a person's comment.
    """
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {each.name: _rendered(each.comment) for each in notebook.comments if each.comment}
    answers = {grade_id_of(cell): cell.source for cell in nb.cells if kind_of(cell) == "answer"}
    parts = []
    for cell in nb.cells:
        if (grade := grades.get(name := grade_id_of(cell))) is None:
            continue
        title, found, code, text = "Looking back" if name == REFLECTION else name, Markup(), "", Markup()
        if kind_of(cell) == "test":
            name = exercise_of(name)
            title = cell.metadata.get(OURS, {}).get("title", name)
            pages = [output.data["text/html"] for output in cell.outputs if output.output_type == "display_data"]
            found, code = Markup("".join(pages)), answers.get(name, "")  # the pages are ours, and escaped
        elif cell.cell_type == "code":
            code = cell.source
        else:
            text = _rendered(cell.source)
        points = {"points": grade.score or 0.0, "max_points": grade.max_score or 0.0, "waits": grade.needs_manual_grade}
        shown = {"title": title, "found": found, "code": code, "text": text, "comment": comments.get(name, "")}
        parts.append({**points, **shown})
    return parts


def _rendered(markdown: str) -> Markup:
    """As HTML: a person's comment, or a learner's text, which `rebuilt` has made inert."""
    return Markup(markdown2html(markdown))


# --- code in formgrader ---------------------------------------------------------------------------------------------

MOST_COLOURED = 20_000
"""Characters; the longest of the course's answers has a quarter of it."""
_LONG_BLANK = re.compile(r"\s{100}")


def shown_code(source: str, language: str | None = None, metadata: Any = None) -> str:
    """The code as HTML, in time that is in proportion to it; a long one, and one with many blanks, in one colour.

    nbconvert's filter `highlight_code`. Pygments goes over the rest of a run of blank lines again at each of them: an
    answer with some hundred kB of them would hold up formgrader's server for hours.
    """
    if len(source) <= MOST_COLOURED and not _LONG_BLANK.search(source):
        return str(Highlight2HTML()(source, language or "python", metadata))
    return f'<div class=" highlight hl-python"><pre>{escape(source)}\n</pre></div>\n'
