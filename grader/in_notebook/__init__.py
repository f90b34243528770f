"""Checks your answer in a notebook: `import grader.in_notebook as kata` and then `kata.check("softmax")`.

With `%load_ext grader.in_notebook` there is also a magic: `%kata softmax` does the same, and `%%kata softmax` over a
cell runs the cell first.

The kernel loads this module and the two that it imports, nothing else. Judge and sandbox are processes of their own,
which end with the kernel; `judging` is the program of the one that is asked from here.
"""

from __future__ import annotations

from .asking import JudgeEnded, answer_to
from .kernel import executed_cells, kernel, show, working_folder

__all__ = ["check", "load_ipython_extension", "unload_ipython_extension"]

_MAGIC = "kata"


def check(exercise: str, *, course: str | None = None, seed: int | None = None) -> None:
    """Show what the checks find in your answer to an exercise, as you ran its cell last.

    course: the path of a course.yml, when it is not found from the notebook's folder upwards.
    seed: of the checks' inputs, to see the same again; fresh inputs by default.
    """
    shell = kernel()
    if shell is None:
        print(f"This works in a notebook; in a terminal, type: kata check {exercise}")
        return
    question = {
        "exercise": str(exercise),
        "cells": executed_cells(shell),
        "folder": working_folder(),
        "course": None if course is None else str(course),
        "seed": seed,
    }
    try:
        answer = answer_to(question)
    except JudgeEnded as error:
        print(error)
        return
    show(answer["text"], answer["html"])


def load_ipython_extension(shell: object) -> None:
    """Make the magic known: what `%load_ext grader.in_notebook` calls."""

    def kata(line: str, cell: str | None = None) -> None:
        """Check your answer to an exercise: `%kata softmax`, or `%%kata softmax` over the answer's own cell."""
        if cell is None or shell.run_cell(cell).success:  # type: ignore[attr-defined]  # IPython has no types here
            check(line.strip())

    shell.register_magic_function(kata, "line_cell", _MAGIC)  # type: ignore[attr-defined]


def unload_ipython_extension(shell: object) -> None:
    """Forget the magic."""
    for magics in shell.magics_manager.magics.values():  # type: ignore[attr-defined]
        magics.pop(_MAGIC, None)
