"""After passing: one's own answer beside the course's, and other right ways to write it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax

from grader.course import Exercise
from grader.reports.safe_text import encodable, visible

from .workspace import Workspace

SIDE_BY_SIDE = 140
"""Columns from which two answers fit beside each other."""

MAX_LINES = 400


def print_answers(workspace: Workspace, exercise: Exercise, console: Console) -> None:
    """The learner's file and the reference, side by side where there is room, then each alternative."""
    course = workspace.course
    mine = workspace.file_of(exercise)
    pair = [
        _panel("yours", _code(mine), console) if mine.is_file() else None,
        _panel("the course's", _code(course.solution_path(exercise)), console),
    ]
    shown = [panel for panel in pair if panel is not None]
    if console.width >= SIDE_BY_SIDE:
        for panel in shown:
            panel.width = console.width // len(shown) - 1
        console.print(Columns(shown, padding=(0, 1)))
    else:
        for panel in shown:
            console.print(panel)
    for path in sorted(course.alternatives_path(exercise).glob("*.py")):
        console.print(_panel(f"another way: {path.stem.replace('_', ' ')}", _code(path), console))


def _panel(title: str, code: str, console: Console) -> Panel:
    shown = encodable(visible(code), console.encoding)
    return Panel(Syntax(shown, "python", word_wrap=True, background_color="default"), title=title, title_align="left")


def _code(path: Path) -> str:
    """The file without its docstring and without the author's markers: what matters is below them."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return "\n".join(_without_lead(text.splitlines()[:MAX_LINES])).strip()


def _without_lead(lines: list[str]) -> Iterator[str]:
    is_inside, is_begun = False, False
    for line in lines:
        if not is_begun and not is_inside and line.startswith(('"""', "'''")):
            is_inside = line.count(line[:3]) == 1
            is_begun = not is_inside
            continue
        if is_inside:
            is_inside = not line.rstrip().endswith(('"""', "'''"))
            is_begun = not is_inside
            continue
        is_begun = is_begun or bool(line.strip())
        if line.strip() not in ("# BEGIN SOLUTION", "# END SOLUTION") and is_begun:
            yield line
