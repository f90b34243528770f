"""What helps with an exercise: hints, one after another, and the answers once it is passed."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from grader.course import Exercise
from grader.render.safe_text import encodable, visible
from grader.render.wording import counted

from .progress import ExerciseProgress, HintEntry, ProgressFile, now
from .workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

SIDE_BY_SIDE = 140
"""Terminal columns from which two answers fit side by side."""
STUB = re.compile(r"^ *# BEGIN STUB\n(?:.*\n)*? *# END STUB\n", re.MULTILINE)
OTHER_WAYS = 3
"""How many further answers are shown: the shortest."""
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
    attempts = len(done.attempts)
    seen = {entry.mistake for entry in done.hints if entry.mistake}
    for mistake, message in (done.attempts[-1].mistakes if done.attempts else {}).items():
        if mistake not in seen:
            done.hints.append(HintEntry(at=now(), mistake=mistake, attempts=attempts))
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
    done.hints.append(HintEntry(at=now(), level=len(opened) + 1, attempts=attempts))
    return [texts[len(opened)]]


def print_answers(workspace: Workspace, exercise: Exercise, console: Console) -> None:
    """Print the learner's file and the course's answer, side by side where there is room, then how others differ.

    That they were seen is noted: a later pass does not count as found alone. In a course without answers the learner's
    file is printed alone, and this is said. Raises OSError.
    """
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.syntax import Syntax

    from grader.judge.bank import load_alternatives, written_alternatives

    def panel(title: str, text: str) -> Panel:
        code = Syntax(encodable(visible(text), console.encoding), "python", word_wrap=True, background_color="default")
        return Panel(code, title=title, title_align="left")

    course, mine, panels = workspace.course, workspace.file_of(exercise), []
    if mine.is_file():
        panels.append(panel("yours", _code(mine.read_text(encoding="utf-8", errors="replace"))))
    answer = _code(course.solution_path(exercise).read_text(encoding="utf-8")) if course.has_answers else ""
    if answer:
        panels.append(panel("the course's", answer))
    if console.width >= SIDE_BY_SIDE and len(panels) > 1:
        for each in panels:
            each.width = console.width // len(panels) - 1
        console.print(Columns(panels, padding=(0, 1)))
    else:
        console.print(*panels, sep="\n")
    if not course.has_answers:
        console.print(NO_ANSWERS)
        return
    definitions = {
        id: text.strip() for id, text in written_alternatives(course, exercise).items() if isinstance(text, str)
    }
    others = {id: _changed(answer, _code(source)) for id, source in load_alternatives(course, exercise).items()}
    ways = sorted(((id, lines) for id, lines in (others | definitions).items() if lines), key=lambda way: len(way[1]))
    for id, lines in ways[:OTHER_WAYS]:
        console.print(panel(f"another way: {id.replace('_', ' ')}", lines))
    if len(ways) > OTHER_WAYS:
        console.print(f"... and {counted(len(ways) - OTHER_WAYS, 'more way')}.")
    with ProgressFile(workspace.state).change() as progress:
        progress.of(exercise.id).solution_seen_at.append(now())


def _changed(before: str, now: str) -> str:
    """The lines that are new or other now, with dots where others lie between them."""
    lines = now.splitlines()
    steps = SequenceMatcher(None, before.splitlines(), lines, autojunk=False).get_opcodes()
    parts = ["\n".join(lines[begin:end]).strip("\n") for step, _, _, begin, end in steps if step != "equal"]
    return "\n...\n".join(filter(str.strip, parts))


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
