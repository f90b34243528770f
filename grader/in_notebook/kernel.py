"""What is taken from the kernel, and given to it: the cells that were run, a folder, a place to show the verdict.

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
"""Of the cells that are sent, from the last one back, as far as each fits: a session may be long, an answer needs
little of it, and no data that was pasted into a cell."""


def kernel() -> Any:
    """The kernel that this is running in, or None outside of one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def executed_cells(shell: Any) -> list[tuple[int, str, bool]]:
    """The cells that were run, oldest first: number, text, and whether it is Python that can be run.

    Of a text that was run often the first and the last time count: what it defines was there from the first time on,
    and anew after the last.
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
    """Whether the kernel could run it: a cell with a typing error in it has defined nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were shown when the cell was run
        try:
            compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False
    return True


def is_run_by_person(shell: Any) -> bool:
    """Whether a person runs this cell, who could be asked for input. Whatever runs whole notebooks cannot be asked."""
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
    """Show an answer below the cell that is running."""
    from IPython.display import display  # loaded long ago, as this is a kernel

    display({"text/plain": text, "text/html": html}, raw=True)
