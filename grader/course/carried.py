"""The course that this program came with."""

from __future__ import annotations

from pathlib import Path

import grader

FOLDER = "carried_course"
"""Where a wheel holds the learner's bundle, within this package. `setup.py` puts it there under the same name."""

_PACKAGE = Path(grader.__file__).resolve().parent


def came_with() -> Path:
    """Where to look for a course that nobody named: the bundle of a wheel, or the folder that the package lies in."""
    carried = _PACKAGE / FOLDER
    return carried if carried.is_dir() else _PACKAGE.parent


def is_installed(path: Path) -> bool:
    """Whether a place is part of the installed program, where nobody should work."""
    return path.resolve().is_relative_to(_PACKAGE)
