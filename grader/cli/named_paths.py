"""Messages for wrong folders and files: what is there, what was expected, and a command to paste."""

from __future__ import annotations

import os
import shlex
from difflib import get_close_matches
from pathlib import Path

from grader.errors import KataError

NAMED = 5
"""The most names that a sentence lists."""
WORK = (".py", ".ipynb", ".zip")
CLASS = "a folder with one folder, zip, notebook or file a learner"


def demand_there(path: Path, expected: str, command: str, *, is_class: bool = False) -> None:
    """Raise KataError if a path does not exist; the message shows `command` with a path that does.

    is_class: a folder is wanted, not one learner's work.
    """
    if os.path.lexists(path):
        return
    beside = [path.parent / name for name in _names_in(path.parent)]
    fitting = [each for each in beside if each.is_dir()]
    if not is_class:
        fitting += [each for each in beside if each.suffix in WORK and not each.is_dir()]
    names = [*(each.name for each in fitting), "SUBMISSIONS" if is_class else "SUBMISSION"]
    example = path.parent / next(iter(get_close_matches(path.name, names, n=1)), names[0])
    raise KataError(f"{_shown(path)} does not exist; {_there(path.parent)}. {_expected(expected, command, example)}")


def demand_class(path: Path) -> None:
    """Raise KataError for a single file; a class is a folder or a zip."""
    command = "kata grade-class {} --out OUT"
    demand_there(path, f"{CLASS}, or a zip of such a folder", command, is_class=True)
    if path.is_file() and path.suffix.lower() != ".zip":
        alone = f"one learner's file alone is graded by: kata grade {shlex.quote(str(path))}"
        raise KataError(f"{_shown(path)} is not a folder. {_expected(CLASS, command, path.parent)}; {alone}")


def demand_results(out: Path, command: str) -> None:
    """Raise KataError unless OUT holds a graded class; the message shows `command` with a folder that does."""
    from grader.classroom.store import DATABASE

    if (out / DATABASE).is_file():
        return
    fault = "is not a folder" if out.exists() else "does not exist"
    if out.is_dir():
        fault = f"holds no {DATABASE}; {_there(out)}"
    expected = "the folder into which a class was graded"
    near = [folder / name for folder in (out, out.parent) for name in _names_in(folder)]
    graded = next((each for each in near if (each / DATABASE).is_file()), None)
    made = f"Expected is {expected}, which is made by: kata grade-class SUBMISSIONS --out OUT"
    raise KataError(f"{_shown(out)} {fault}. {_expected(expected, command, graded) if graded else made}")


def _expected(what: str, command: str, example: Path) -> str:
    return f"Expected is {what}, such as: {command.format(shlex.quote(str(example)))}"


def _there(folder: Path) -> str:
    """What is in a folder."""
    from grader.intake.names import first_few

    if names := _names_in(folder):
        return f"in {_shown(folder)} there is {first_few(names, NAMED)}"
    return f"{_shown(folder)} {'is empty' if folder.is_dir() else 'is not there either'}"


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _shown(path: Path) -> str:
    return "this folder" if str(path) in ("", ".") else str(path)
