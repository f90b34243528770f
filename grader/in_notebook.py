"""Checks your answer in a notebook: `import grader.in_notebook as kata` and then `kata.check("softmax")`.

With `%load_ext grader.in_notebook` there is also a magic: `%kata softmax` does the same, and `%%kata softmax` over a
cell runs the cell first. `%kata play multi_head_attention`, or `kata.play("multi_head_attention")`, puts the answer to
work in a small trained model.

The kernel is the learner's, so it loads this module and nothing else of ours. Each question goes to a command of its
own, `cli/check_cell.py`, which asks the service as `kata check` does, and ends with the kernel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

__all__ = ["NotPassed", "check", "load_ipython_extension", "play", "validate"]

_MAGIC = "kata"
_USAGE = (
    "Type one exercise, as in %kata softmax, or %kata play softmax. "
    "All else is in a terminal: kata list, kata hint softmax."
)
_COLUMNS = 80
"""Width to which messages are wrapped: `nbgrader validate` cuts off longer lines."""
MOST_CELLS = 1000
MOST_CHARACTERS = 256 * 1024
"""Limit for the cells sent, counted from the last one back; a cell that does not fit is skipped."""


class NotPassed(Exception):
    """An answer did not pass, or was not checked; the text is for the learner, so it is shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        lines = []
        for line in str(self).splitlines():
            margin = " " * (len(line) - len(line.lstrip()) + 2)
            lines += textwrap.wrap(line, _COLUMNS, subsequent_indent=margin) or [""]
        return lines


def check(exercise: str, *, course: str | None = None, seed: int | None = None) -> None:
    """Show what the checks find in your answer to an exercise, as you ran its cell last.

    course: the path of a course.yml, instead of the installed course.
    seed: of the checks' inputs, to see the same again; fresh inputs by default.
    """
    shell = _kernel()
    if shell is None:
        print(f"This works in a notebook; in a terminal, type: kata check {exercise}")
    elif "NBGRADER_VALIDATING" in os.environ and not _is_run_by_person(shell):
        print("Validate looks at the test cell below, which asks the same.")
    else:
        for part in _ask(shell, course, exercise=str(exercise), seed=seed, is_try=True):
            _show(part)


def validate(exercise: str, *, course: str | None = None) -> None:
    """For a notebook's test cell: fail, unless every check of the answer passes. It does not count as a try.

    That is what nbgrader's Validate goes by. course: as for `check`.

    Raises NotPassed, with what the checks found, or why they found nothing.
    """
    shell = _kernel()
    if shell is None:
        raise NotPassed(f"Not checked: this works in a notebook; in a terminal, type: kata check {exercise}")
    if _is_run_by_person(shell):
        print(
            "This cell gives the points when the notebook is graded. To have your answer checked, run the cell above."
        )
        return
    (answer,) = _ask(shell, course, exercise=str(exercise), is_try=False)
    if not answer["passed"]:
        raise NotPassed(answer["text"])
    _show(answer)


def play(line: str, *, course: str | None = None) -> None:
    """Put your answer to work in a small trained model, as `kata play` does, and show what it attends to.

    line: the exercise and, behind it, what `kata play` takes: --text TEXT, --without scale, --page.
    course: as for `check`.
    """
    shell = _kernel()
    if shell is None:
        print(f"This works in a notebook; in a terminal, type: kata play {line}")
        return
    for part in _ask(shell, course, play=str(line)):
        _show(part)


def load_ipython_extension(shell: Any) -> None:
    """Register the magic: called by `%load_ext grader.in_notebook`."""

    def kata(line: str, cell: str | None = None) -> None:
        """Check your answer to an exercise: `%kata softmax`, or `%%kata softmax` over the answer's own cell.

        `%kata play ID` puts it to work.
        """
        first, _, rest = line.strip().partition(" ")
        if cell is None or shell.run_cell(cell).success:
            if first == "play":
                play(rest)
            elif first and not rest:
                check(first)
            else:
                print(_USAGE)

    shell.register_magic_function(kata, "line_cell", _MAGIC)


# --- the kernel ---------------------------------------------------------------------------------------------------


def _kernel() -> Any:
    """The IPython kernel that runs this code, or None outside of one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _is_run_by_person(shell: Any) -> bool:
    """Whether a person runs this cell: programs that run whole notebooks do not allow asking for input."""
    # IPython in a terminal has no `get_parent`
    return not hasattr(shell, "get_parent") or bool(shell.get_parent().get("content", {}).get("allow_stdin"))


def _show(part: dict[str, Any]) -> None:
    from IPython.display import display  # already loaded by the kernel

    display({"text/plain": part["text"], "text/html": part["html"]}, raw=True)


def executed_cells(shell: Any) -> list[tuple[int, str]]:
    """The cells that were run, oldest first: number, and text as typed.

    Of repeated runs of the same text only the first and the last count: its definitions exist from the first on, and
    were renewed by the last.
    """
    typed = shell.history_manager.input_hist_raw
    last = {text: number for number, text in enumerate(typed)}
    first = {text: len(typed) - number for number, text in enumerate(reversed(typed), 1)}
    chosen: list[tuple[int, str]] = []
    characters = 0
    for number in sorted({*first.values(), *last.values()}, reverse=True):
        text = typed[number]
        if text.strip() and characters + len(text) <= MOST_CHARACTERS and len(chosen) < MOST_CELLS:
            characters += len(text)
            chosen.append((number, text))
    return chosen[::-1]


def _ask(shell: Any, course: str | None, **asked: object) -> Iterator[dict[str, Any]]:
    """The parts of the answer, as they come from a command of its own. An interrupt ends that command."""
    try:
        folder = os.getcwd()
    except OSError:  # it has been deleted
        folder = os.path.abspath(os.sep)
    has_magic = shell.find_line_magic(_MAGIC) is not None
    question = {**asked, "cells": executed_cells(shell), "folder": folder, "course": course, "has_magic": has_magic}
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli.check_cell"],
        # puts this package first on the module path, whatever lies in the notebook's folder
        cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt is meant for the kernel alone
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        with suppress(OSError):  # it has ended: then there is no answer either
            process.stdin.write(json.dumps(question).encode("ascii") + b"\n")
            process.stdin.flush()
        yield from map(json.loads, process.stdout)
        if status := process.wait():
            sentence = f"The grader's process ended (status {status}), so there is no verdict; run this cell again."
            yield {"text": sentence, "html": f"<p>{sentence}</p>", "passed": False}
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
