"""Checks your answer in a notebook: `import grader.in_notebook as kata` and then `kata.check("softmax")`.

With `%load_ext grader.in_notebook` there is also a magic: `%kata softmax` does the same, and `%%kata softmax` over a
cell runs the cell first. `%kata play multi_head_attention`, or `kata.play("multi_head_attention")`, puts the answer to
work in a small trained model.

The kernel loads this module and the two that it imports, nothing else. Judge and sandbox are processes of their own,
which end with the kernel; `judging` is the program of the one that is asked from here.
"""

from __future__ import annotations

import os
import textwrap
from typing import Any

from .asking import JudgeEnded, answer_to
from .kernel import executed_cells, is_run_by_person, kernel, show, working_folder

__all__ = ["NotPassed", "check", "load_ipython_extension", "play", "unload_ipython_extension", "validate"]

_MAGIC = "kata"
_PLAY = "play"
_USAGE = (
    "Type one exercise, as in %kata softmax, or %kata play softmax. "
    "All else is in a terminal: kata list, kata hint softmax."
)
_COLUMNS = 80
"""Width to which messages are wrapped: `nbgrader validate` cuts off longer lines."""


class NotPassed(Exception):
    """An answer did not pass, or was not checked; the text is for the learner, so it is shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [part for line in str(self).splitlines() for part in _in_columns(line)]


def check(exercise: str, *, course: str | None = None, seed: int | None = None) -> None:
    """Show what the checks find in your answer to an exercise, as you ran its cell last.

    course: the path of a course.yml, when it is not found from the notebook's folder upwards.
    seed: of the checks' inputs, to see the same again; fresh inputs by default.
    """
    shell = kernel()
    if shell is None:
        print(f"This works in a notebook; in a terminal, type: kata check {exercise}")
        return
    if "NBGRADER_VALIDATING" in os.environ and not is_run_by_person(shell):
        print("Validate looks at the test cell below, which asks the same.")
        return
    try:
        answer = answer_to(_question(shell, exercise, course, seed, is_try=True))
    except JudgeEnded as error:
        print(error)
        return
    show(answer["text"], answer["html"])


def validate(exercise: str, *, course: str | None = None) -> None:
    """For a notebook's test cell: fail, unless every check of the answer passes. Nothing is noted as a try.

    That is what nbgrader's Validate goes by. A person who runs the cell is told what it is for.

    course: as for `check`.

    Raises NotPassed, with what the checks found, or why they found nothing.
    """
    shell = kernel()
    if shell is None:
        raise NotPassed(f"Not checked: this works in a notebook; in a terminal, type: kata check {exercise}")
    if is_run_by_person(shell):
        print(
            "This cell gives the points when the notebook is graded. To have your answer checked, run the cell above."
        )
        return
    try:
        answer = answer_to(_question(shell, exercise, course, None, is_try=False))
    except JudgeEnded as error:
        raise NotPassed(f"Not checked: {error}") from None
    if not answer["passed"]:
        raise NotPassed(answer["text"])
    show(answer["text"], answer["html"])


def play(line: str, *, course: str | None = None) -> None:
    """Put your answer to work in a small trained model, as `kata play` does, and show what it attends to.

    line: the exercise and, behind it, what `kata play` takes: --text TEXT, --without scale, --page.
    course: as for `check`.
    """
    shell = kernel()
    if shell is None:
        print(f"This works in a notebook; in a terminal, type: kata play {line}")
        return
    question = {**_question(shell, "", course, None, is_try=False), "play": str(line)}
    try:
        answer = answer_to(question)
        show(answer["text"], answer["html"])
        while answer["more"]:
            answer = answer_to({"go_on": True})
            show(answer["text"], answer["html"])
    except JudgeEnded as error:
        print(error)


def _question(shell: Any, exercise: str, course: str | None, seed: int | None, *, is_try: bool) -> dict[str, Any]:
    return {
        "exercise": str(exercise),
        "cells": executed_cells(shell),
        "folder": working_folder(),
        "course": None if course is None else str(course),
        "seed": seed,
        "is_try": is_try,
        "has_magic": shell.find_line_magic(_MAGIC) is not None,
    }


def _in_columns(line: str) -> list[str]:
    margin = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _COLUMNS, subsequent_indent=margin) or [""]


def load_ipython_extension(shell: object) -> None:
    """Register the magic: called by `%load_ext grader.in_notebook`."""

    def kata(line: str, cell: str | None = None) -> None:
        """Check your answer to an exercise: `%kata softmax`, or `%%kata softmax` over the answer's own cell.

        `%kata play ID` puts it to work.
        """
        first, _, rest = line.strip().partition(" ")
        if cell is None or shell.run_cell(cell).success:  # type: ignore[attr-defined]  # IPython has no types here
            if first == _PLAY:
                play(rest)
            elif first and not rest:
                check(first)
            else:
                print(_USAGE)

    shell.register_magic_function(kata, "line_cell", _MAGIC)  # type: ignore[attr-defined]


def unload_ipython_extension(shell: object) -> None:
    """Unregister the magic."""
    for magics in shell.magics_manager.magics.values():  # type: ignore[attr-defined]
        magics.pop(_MAGIC, None)
