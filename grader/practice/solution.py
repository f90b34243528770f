"""`kata solution`: after passing, the learner's answer beside the course's, and other right ways to write it."""

from __future__ import annotations

import ast
from contextlib import suppress

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax

from grader.course import Exercise
from grader.errors import KataError
from grader.judge.bank import load_alternatives
from grader.render.safe_text import encodable, visible

from .workspace import Workspace

SIDE_BY_SIDE = 140
"""Terminal columns from which two answers fit side by side."""
NO_ANSWERS = (
    "The course's own answer is not in this installation: the wheel was made without answers, for work that is marked."
)


def course_answer(workspace: Workspace, exercise: Exercise, *, is_passed: bool, force: bool) -> str | None:
    """The text of the reference, once the exercise is passed or with `force`; None in a course without answers.

    Raises KataError where it is not shown, OSError.
    """
    course = workspace.course
    if not force and not is_passed:
        more = ", and --force shows the answer all the same" if course.has_answers else ""
        raise KataError(f"{exercise.id} is not passed yet: `kata hint {exercise.id}` helps{more}.")
    return course.solution_path(exercise).read_text(encoding="utf-8") if course.has_answers else None


def print_answers(workspace: Workspace, exercise: Exercise, answer: str | None, console: Console) -> None:
    """Print the learner's file and the course's answer, side by side where there is room, then each alternative.

    answer: None where the course is without its answers: then the learner's file alone is printed, and this is said.
    """
    answers, mine = [("the course's", answer)] if answer is not None else [], workspace.file_of(exercise)
    if mine.is_file():
        answers.insert(0, ("yours", mine.read_text(encoding="utf-8", errors="replace")))
    panels = [_panel(title, text, console) for title, text in answers]
    if console.width >= SIDE_BY_SIDE and len(panels) > 1:
        for panel in panels:
            panel.width = console.width // len(panels) - 1
        console.print(Columns(panels, padding=(0, 1)))
    else:
        console.print(*panels, sep="\n")
    if answer is None:
        console.print(NO_ANSWERS)
        return
    for id, source in load_alternatives(workspace.course, exercise).items():
        console.print(_panel(f"another way: {id.replace('_', ' ')}", source, console))


def _panel(title: str, text: str, console: Console) -> Panel:
    shown = encodable(visible(_code(text)), console.encoding)
    return Panel(Syntax(shown, "python", word_wrap=True, background_color="default"), title=title, title_align="left")


def _code(text: str) -> str:
    """A file without its module docstring and without the author's markers."""
    lines = text.splitlines()
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        first = ast.parse(text).body[:1]
        if first and isinstance(first[0], ast.Expr) and isinstance(first[0].value, ast.Constant):
            lines = lines[first[0].end_lineno :]
    shown = [line for line in lines if line.strip() not in ("# BEGIN SOLUTION", "# END SOLUTION")]
    return "\n".join(shown).strip()
