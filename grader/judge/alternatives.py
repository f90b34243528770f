"""Right answers that are written differently: they keep the checks fair, and `kata solution` shows them.

`ALTERNATIVES` in an exercise's `alternatives.py` gives each an id, and its source, or its edits of the reference. Those
of a debug task are edits of the file that learners are given.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise

from .authored import fault, place
from .edits import edited
from .faults import BankError


def load_alternatives(course: Course, exercise: Exercise) -> dict[str, str]:
    """The sources of an exercise's alternatives by id; none where the course has none.

    Raises BankError when they cannot be used as written.
    """
    path = course.alternatives_path(exercise)
    if not path.is_file():
        return {}
    begun_from = course.stub_path if exercise.kind == "debug" else course.solution_path
    text = begun_from(exercise).read_text(encoding="utf-8")
    return {
        id: written if isinstance(written, str) else edited(text, written, f"{place(path)}: {id!r}")
        for id, written in _listed(path).items()
    }


def _listed(path: Path) -> dict[str, Any]:
    try:
        listed = runpy.run_path(str(path)).get("ALTERNATIVES")
    except Exception as error:
        raise BankError(fault(error, path)) from None
    if not isinstance(listed, dict) or not all(isinstance(each, (str, list)) for each in listed.values()):
        raise BankError(f"{place(path)}: ALTERNATIVES must be a dict of ids, each with a source or a list of edits")
    return listed
