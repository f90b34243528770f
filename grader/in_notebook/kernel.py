"""The interface to the kernel: the cells that were run, its folder, and the display of a verdict.

Nothing heavy may be imported here: the kernel is the learner's.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from functools import lru_cache
from typing import Any

MOST_CELLS = 1000
MOST_CHARACTERS = 256 * 1024
"""Limit for the cells sent, counted from the last one back; a cell that does not fit is skipped. A session may be long,
but an answer needs little of it, and no data pasted into a cell."""


def kernel() -> Any:
    """The IPython kernel that runs this code, or None outside of one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def executed_cells(shell: Any) -> list[tuple[int, str, bool]]:
    """The cells that were run, oldest first: number, text, and whether it is valid Python.

    Of repeated runs of the same text only the first and the last count: its definitions exist from the first on, and
    were renewed by the last.
    """
    history = shell.history_manager
    typed: list[str] = list(history.input_hist_raw)
    run: list[str] = list(history.input_hist_parsed)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, text in enumerate(typed):
        first.setdefault(text, number)
        last[text] = number
    chosen: list[tuple[int, str, bool]] = []
    characters = 0
    for number in sorted({*first.values(), *last.values()}, reverse=True):
        text = typed[number]
        if not text.strip() or characters + len(text) > MOST_CHARACTERS:
            continue
        characters += len(text)
        chosen.append((number, text, _is_python(run[number] if number < len(run) else text)))
        if len(chosen) == MOST_CELLS:
            break
    return chosen[::-1]


@lru_cache(maxsize=4 * MOST_CELLS)
def _is_python(text: str) -> bool:
    """Whether the kernel could compile it: a cell with a syntax error has defined nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were shown when the cell was run
        try:
            compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False
    return True


def is_run_by_person(shell: Any) -> bool:
    """Whether a person runs this cell: programs that run whole notebooks do not allow asking for input."""
    if not hasattr(shell, "get_parent"):  # IPython in a terminal
        return True
    asked: dict[str, Any] = shell.get_parent().get("content", {})
    return bool(asked.get("allow_stdin"))


def working_folder() -> str | None:
    """The kernel's current folder, or None when it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def show(text: str, html: str) -> None:
    """Display an answer below the running cell."""
    from IPython.display import display  # already loaded by the kernel

    display({"text/plain": text, "text/html": html}, raw=True)
