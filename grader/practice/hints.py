"""What helps with an exercise: hints, one after another, and the answers once it is passed."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.course import Exercise
from grader.render.safe_text import encodable, visible
from grader.render.wording import counted

from .progress import ExerciseProgress, HintEntry, now
from .workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

STUB = re.compile(r"^ *# BEGIN STUB\n(?:.*\n)*? *# END STUB\n", re.MULTILINE)
OTHER_WAYS = 3
"""How many further answers are shown: the shortest."""
NO_ANSWERS = (
    "The course's own answer is not in this installation: the wheel was made without answers, for work that is marked."
)


def open_hint(workspace: Workspace, exercise: Exercise) -> list[str]:
    """The next hint, noted in the progress file. Raises OSError."""
    with workspace.progress.change() as known:
        return next_hint(exercise, known.of(exercise.id))


def next_hint(exercise: Exercise, done: ExerciseProgress) -> list[str]:
    """The next hint in sentences, recorded in `done`; the hints so far where no further one is open.

    The message of a known mistake in the last attempt comes first, if it was not shown yet; it uses up no level. A
    review starts again at level 1; hints taken there affect when the exercise comes back.
    """
    attempts = len(done.attempts)
    seen = {entry.mistake for entry in done.hints if entry.mistake}
    for mistake, message in (done.attempts[-1].mistakes if done.attempts else {}).items():
        if mistake not in seen:
            done.hints.append(HintEntry(at=now(), text=message, mistake=mistake, attempts=attempts))
            return [f"From your last attempt: {message}"]
    texts = [f"Hint {level} of {len(exercise.hints)}: {text}" for level, text in enumerate(exercise.hints, start=1)]
    before = done.open_review.hints if done.open_review else 0
    opened = [entry for entry in done.hints[before:] if entry.level]
    if len(opened) >= len(texts):
        return [*texts, "These are all the hints there are."]
    if opened and not done.is_passed:
        since = done.attempts[opened[-1].attempts :]
        if not any(attempt.status == "failed" for attempt in since):
            return [*texts[: len(opened)], f"The next hint opens after another attempt: kata check {exercise.id}"]
    text = texts[len(opened)]
    done.hints.append(HintEntry(at=now(), text=text, level=len(opened) + 1, attempts=attempts))
    return [text]


def print_answers(workspace: Workspace, exercise: Exercise, console: Console) -> None:
    """Print the learner's file and the course's answer, side by side where there is room, then other ways to write it.

    That they were seen is noted: a later pass does not count as found alone. In a course without answers the learner's
    file is printed alone, and this is said. Raises OSError, KataError.
    """
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.syntax import Syntax

    from grader.judge.bank import written_alternatives

    def panel(title: str, text: str) -> Panel:
        code = Syntax(encodable(visible(text), console.encoding), "python", word_wrap=True, background_color="default")
        return Panel(code, title=title, title_align="left", expand=False)

    course, mine, panels = workspace.course, workspace.file_of(exercise), []
    if mine.is_file():
        panels.append(panel("yours", _code(mine.read_text(encoding="utf-8", errors="replace"))))
    if not course.has_answers:
        console.print(*panels, NO_ANSWERS, sep="\n")
        return
    panels.append(panel("the course's", _code(course.solution_path(exercise).read_text(encoding="utf-8"))))
    console.print(Columns(panels, padding=(0, 1)))
    written = written_alternatives(course, exercise)
    ways = {
        id: way if isinstance(way, str) else "\n...\n".join(new.strip() for _, new in way if new)
        for id, way in written.items()
    }
    for id in sorted(ways, key=lambda id: len(ways[id]))[:OTHER_WAYS]:
        console.print(panel(f"another way: {id.replace('_', ' ')}", ways[id].strip()))
    if len(ways) > OTHER_WAYS:
        console.print(f"... and {counted(len(ways) - OTHER_WAYS, 'more way')}.")
    with workspace.progress.change() as progress:
        progress.of(exercise.id).solution_seen_at.append(now())


def _code(text: str) -> str:
    """A file without its module docstring and without the author's markers and what learners are given there."""
    text = STUB.sub("", text)
    lines = text.splitlines()
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        first = ast.parse(text).body[:1]
        if first and isinstance(first[0], ast.Expr) and isinstance(first[0].value, ast.Constant):
            lines = lines[first[0].end_lineno :]
    shown = [line for line in lines if line.strip() not in ("# BEGIN SOLUTION", "# END SOLUTION")]
    return "\n".join(shown).strip()
