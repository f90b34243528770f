"""What helps with an exercise: hints, one after another, and the answers once it is passed."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.console import Console

from grader.course import Exercise
from grader.errors import KataError
from grader.render.safe_text import encodable, visible

from .progress import ExerciseProgress, HintEntry, ProgressFile, now
from .workspace import Workspace

if TYPE_CHECKING:
    from rich.panel import Panel

SIDE_BY_SIDE = 140
"""Terminal columns from which two answers fit side by side."""
NO_ANSWERS = (
    "The course's own answer is not in this installation: the wheel was made without answers, for work that is marked."
)


def open_hint(workspace: Workspace, exercise: Exercise) -> list[str]:
    """The next hint, noted in the progress file. Raises OSError."""
    with ProgressFile(workspace.state).change() as known:
        return next_hint(exercise, known.of(exercise.id))


def next_hint(exercise: Exercise, done: ExerciseProgress) -> list[str]:
    """The next hint in sentences, recorded in `done`; the hints so far where no further one is open.

    The message of a known mistake in the last attempt comes first, if it was not shown yet; it uses up no level. A
    review starts again at level 1; hints taken there affect when the exercise comes back.
    """
    diagnosed = done.attempts[-1].mistakes if done.attempts else {}
    seen = {entry.mistake for entry in done.hints if entry.mistake}
    for mistake, message in diagnosed.items():
        if mistake not in seen:
            done.hints.append(HintEntry(at=now(), mistake=mistake, attempts=len(done.attempts)))
            return [f"From your last attempt: {message}"]
    texts = [f"Hint {level} of {len(exercise.hints)}: {text}" for level, text in enumerate(exercise.hints, start=1)]
    before = done.open_review.hints if done.open_review else 0
    opened = [entry for entry in done.hints[before:] if entry.level]
    if len(opened) >= len(texts):
        return [*texts, "These are all the hints there are."]
    if opened and not done.is_passed and not _tried_since(done, opened[-1]):
        return [*texts[: len(opened)], f"The next hint opens after another attempt: kata check {exercise.id}"]
    done.hints.append(HintEntry(at=now(), level=len(opened) + 1, attempts=len(done.attempts)))
    return [texts[len(opened)]]


def _tried_since(done: ExerciseProgress, hint: HintEntry) -> bool:
    return any(attempt.status == "failed" for attempt in done.attempts[hint.attempts :])


# --- the answers ------------------------------------------------------------------------------------------------------


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
    from rich.columns import Columns

    from grader.judge.bank import load_alternatives

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
    from rich.panel import Panel
    from rich.syntax import Syntax

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
