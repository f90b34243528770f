"""`kata solution`: after passing, the learner's answer beside the course's, and other right ways to write it.

A bundle may hold the course's answers sealed. This keeps nothing secret: it only prevents finding an answer by
accident, for example in a text search.
"""

from __future__ import annotations

import ast
import zlib
from contextlib import suppress
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax

from grader.course import Exercise
from grader.errors import KataError
from grader.judge.alternatives import load_alternatives
from grader.render.safe_text import encodable, visible

from .workspace import Workspace

SIDE_BY_SIDE = 140
"""Terminal columns from which two answers fit side by side."""


def course_answer(workspace: Workspace, exercise: Exercise, *, is_passed: bool, force: bool) -> str:
    """The text of the reference, once the exercise is passed or with `force`; a bundle has it sealed, or not at all.

    Raises KataError where it is not shown or is damaged, OSError.
    """
    course = workspace.course
    if course.is_bundle and not course.sealed_path(exercise).is_file():
        raise KataError("This is a learner's bundle: the course's answers are not in it.")
    if course.is_bundle and force:
        raise KataError("--force opens no answer of a learner's bundle: pass the exercise first.")
    if not force and not is_passed:
        more = "" if course.is_bundle else ", and --force shows the answer all the same"
        raise KataError(f"{exercise.id} is not passed yet: `kata hint {exercise.id}` helps{more}.")
    if course.is_bundle:
        return opened(course.sealed_path(exercise))
    return course.solution_path(exercise).read_text(encoding="utf-8")


def print_answers(workspace: Workspace, exercise: Exercise, answer: str, console: Console) -> None:
    """Print the learner's file and the course's answer, side by side where there is room, then each alternative."""
    answers, mine = [("the course's", answer)], workspace.file_of(exercise)
    if mine.is_file():
        answers.insert(0, ("yours", mine.read_text(encoding="utf-8", errors="replace")))
    panels = [_panel(title, text, console) for title, text in answers]
    if console.width >= SIDE_BY_SIDE:
        for panel in panels:
            panel.width = console.width // len(panels) - 1
        console.print(Columns(panels, padding=(0, 1)))
    else:
        console.print(*panels, sep="\n")
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


HEAD = b"Sealed: `kata solution` opens it once the exercise is passed.\n"


def sealed(text: str) -> bytes:
    """Seal the text of an exercise's solution: packed, so that nobody reads it by accident."""
    return HEAD + zlib.compress(text.encode("utf-8"), 9)


def opened(path: Path) -> str:
    """Open a sealed file. Raises KataError when it is damaged, OSError when it is missing."""
    content = path.read_bytes()
    try:
        if not content.startswith(HEAD):
            raise ValueError("not sealed")
        return zlib.decompress(content.removeprefix(HEAD)).decode("utf-8")
    except (ValueError, zlib.error):
        raise KataError(f"{path.name} is damaged: unzip the bundle again") from None
