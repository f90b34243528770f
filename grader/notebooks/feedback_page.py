"""What people see of an autograded notebook: `nbgrader generate_feedback`'s page, and the code in formgrader.

The page names the exercises, shows what the checks found and the code that was graded, and leaves out the lesson and
every other cell. It runs nothing and fetches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
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

from .cells import OURS, REFLECTION, exercise_of, grade_id_of, is_answer, is_test

REFLECTION_TITLE = "Looking back"


@dataclass(frozen=True)
class Part:
    """One exercise, or another graded cell.

    found: what the checks found. code, text: the learner's answer. comment: of a person. waits: for a person's points.
    """

    title: str
    points: float
    max_points: float
    waits: bool
    found: Markup | str = ""
    code: str = ""
    text: Markup | str = ""
    comment: Markup | str = ""


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
            parts = list(_parts(nb, notebook))
            penalty = notebook.late_submission_penalty or 0.0
            seconds = submission.total_seconds_late
            page = render_page(
                "feedback.html.j2",
                title=names["notebook"],
                learner=names["student"],
                parts=parts,
                points=notebook.score - penalty,
                max_points=notebook.max_score,
                late=duration(timedelta(seconds=seconds)) if seconds > 0 else "",
                penalty=penalty,
            )
        return page, resources


def _parts(nb: Any, notebook: Any) -> Iterator[Part]:
    """The graded parts of a notebook, in its order. notebook: nbgrader's SubmittedNotebook."""
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {each.name: _rendered(each.comment) for each in notebook.comments if each.comment}
    answers = {grade_id_of(cell): cell.source for cell in nb.cells if is_answer(cell)}
    for cell in nb.cells:
        if (grade := grades.get(name := grade_id_of(cell))) is None:
            continue
        facts = (grade.score or 0.0, grade.max_score or 0.0, bool(grade.needs_manual_grade))
        if is_test(cell):
            answer, title = exercise_of(name), cell.metadata.get(OURS, {}).get("title", exercise_of(name))
            found = Markup("".join(_pages_of(cell)))  # made by us, and escaped
            yield Part(title, *facts, found, answers.get(answer, ""), comment=comments.get(answer, ""))
        else:
            title = REFLECTION_TITLE if name == REFLECTION else name
            text = _rendered(cell.source) if cell.cell_type == "markdown" else ""
            code = cell.source if cell.cell_type == "code" else ""
            yield Part(title, *facts, code=code, text=text, comment=comments.get(name, ""))


def _rendered(markdown: str) -> Markup:
    """As HTML: a person's comment, or a learner's text, which `rebuild` has made inert."""
    return Markup(markdown2html(markdown))


def _pages_of(cell: Any) -> Iterator[str]:
    for output in cell.outputs:
        if output.output_type == "display_data":
            yield output.data["text/html"]


# --- code in formgrader ---------------------------------------------------------------------------------------------

MOST_COLOURED = 20_000
"""Characters; the longest of the course's answers has a quarter of it."""
LANGUAGE = "python"
_LONG_BLANK = re.compile(r"\s{100}")


class ShownCode(Highlight2HTML):
    """nbconvert's filter `highlight_code`, in time that is in proportion to the code.

    Pygments goes over the rest of a run of blank lines again at each of them: an answer with some hundred kB of them
    would hold up formgrader's server for hours.
    """

    def __call__(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        """The code as HTML; a long one, and one with a long run of blanks, in one colour."""
        if len(source) <= MOST_COLOURED and not _LONG_BLANK.search(source):
            coloured: str = super().__call__(source, language or LANGUAGE, metadata)
            return coloured
        return f'<div class=" highlight hl-{LANGUAGE}"><pre>{escape(source)}\n</pre></div>\n'
