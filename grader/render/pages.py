"""Shared by all HTML pages: templates that escape everything, and text without invisible characters."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from . import wording
from .safe_text import safe_line, visible


def render_page(template: str, **values: Any) -> str:
    """Render one of the templates beside this module as a self-contained page."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=safe_line,
        prose=_prose,
        score=wording.score,
        percent=lambda part: f"{100 * part:.1f}",
    )
    environment.globals.update(
        marks=wording.MARKS,
        class_marks=wording.IN_CLASSES,
        isolation=wording.ISOLATION,
        how_to_ask=wording.HOW_TO_ASK,
        change=wording.change,
        counted=wording.counted,
        share=wording.share,
    )
    return environment


CODE = re.compile(r"`([^`\n]+)`")


def _prose(text: str) -> Markup:
    """The text escaped, with what stands between backticks as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(visible(text)))))


def _shown(value: Any) -> Any:
    """Make invisible characters of a value visible, even where the template applies no filter."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
