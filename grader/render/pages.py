"""Verdicts, records and classes as HTML, by templates that escape everything and show no invisible character.

Each page is one file that needs no network. A record's page has no script; a class's has one, which its content
security policy allows by its hash: it sorts and filters tables and colours the marks in sight. All facts are in the
page as text, so that it reads and prints without it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grader.record import Record

from . import wording
from .class_summary import ClassSummary, ExerciseTally, LearnerRow
from .heatmap import HeatMap, spelt
from .heatmap_terminal import as_text
from .safe_text import LINE_LIMIT, safe_block, safe_line, visible
from .terminal import print_verdict
from .verdict import ExerciseVerdict, by_unit, verdicts_on

TEMPLATES = Path(__file__).with_name("templates")
NO_SOURCES: Mapping[str, bytes] = {}
CODE_LINES = 400
"""More of a learner's file is not shown."""
TEXT_WIDTH = 100
"""Columns of the text that fit into a notebook's output without scrolling."""
MOST_NAMED = 100
"""How many learners of a list are named; beyond that, only their count is given."""
NOT_IN_RECORD = "-"
CODE = re.compile(r"`([^`\n]+)`")


def render_page(template: str, **values: Any) -> str:
    """Render one of the templates."""
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """The templates, and what they may use."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        # what no filter of a template has made visible
        finalize=lambda each: visible(each) if isinstance(each, str) and not isinstance(each, Markup) else each,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=safe_line,
        prose=lambda text: Markup(CODE.sub(r"<code>\1</code>", str(escape(visible(text))))),
        score=wording.score,
        spelt=spelt,
        percent=lambda part: f"{100 * part:.1f}",
        address=lambda svg: f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}",
    )
    environment.globals.update(
        marks=wording.MARKS,
        class_marks=wording.IN_CLASSES,
        isolation=wording.ISOLATION,
        how_to_ask=wording.HOW_TO_ASK,
        change=wording.change,
        counted=wording.counted,
        share=wording.share,
        mismatch=HeatMap.of_mismatch,
        attention=HeatMap.of_attention,
    )
    return environment


def below_cell(
    verdict: ExerciseVerdict, closing: str, *, problems: Sequence[str] = (), remarks: Sequence[str] = ()
) -> tuple[str, str]:
    """A verdict below a notebook's cell, where a learner checks it or where it was graded: as text and as HTML.

    It is read in JupyterLab, VS Code, the classic notebook, nbgrader's formgrader and its feedback, light and dark,
    trusted or not. So it has only inline styles and the page's own text colour; heat maps are pictures.

    closing: how it was graded, in a sentence. problems: sentences about what was handed in. remarks: sentences on
    further effects, such as a review's date.
    """
    text = as_text(lambda console: print_verdict(verdict, console), TEXT_WIDTH)
    page = render_page("cell.html.j2", shown=verdict, closing=closing, problems=problems, remarks=remarks)
    return "\n".join([text, *problems, "", *remarks, closing]), page


def render_record(
    record: Record,
    *,
    titles: Mapping[str, str],
    units: wording.Units,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> str:
    """The page of one record.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    sources: what was graded, to be shown, by id.
    """
    verdicts = verdicts_on(record, titles)
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {verdict.id: f"exercise-{number}" for number, verdict in enumerate(verdicts, 1)}
    return render_page(
        "record.html.j2",
        record=record,
        units=by_unit(verdicts, units),
        anchors=anchors,
        passed=wording.passed_count(record),
        warning=wording.ungraded(record),
        sources={
            id: "\n".join(safe_block(source.decode("utf-8", "replace"), CODE_LINES, CODE_LINES * LINE_LIMIT))
            for id, source in sources.items()
        },
    )


def render_class(summary: ClassSummary) -> str:
    """The page of a class, the same bytes for equal summaries."""
    exercises, worths = summary.exercises, {row.max_points for row in summary.rows}
    script = (TEMPLATES / "class.js").read_text("utf-8").strip()
    return render_page(
        "class.html.j2",
        summary=summary,
        exercises=exercises,
        places={tally.id: place for place, tally in enumerate(exercises, 1)},
        strip=lambda row: _strip(row, exercises),
        href=relative,
        most_named=MOST_NAMED,
        worth=worths.pop() if len(worths) == 1 else None,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def relative(path: str) -> str:
    """A URL that can only lead to a file beside or below the page: no scheme, no host, no query."""
    return "./" + quote(path.lstrip("/").removeprefix("./"), safe="/")


def _strip(row: LearnerRow, exercises: Sequence[ExerciseTally]) -> str:
    """A learner's statuses as signs, with a space between units."""
    signs = {id: wording.MARKS[status].sign for id, status in row.statuses.items()}
    units = groupby(exercises, key=lambda each: each.unit)
    return " ".join("".join(signs.get(each.id, NOT_IN_RECORD) for each in unit) for _, unit in units)
