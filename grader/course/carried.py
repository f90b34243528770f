"""The course that this program was installed with."""

from __future__ import annotations

from pathlib import Path

import grader

from .loading import FILE_NAME

FOLDER = "carried_course"
"""Where a wheel holds the learner's bundle, within this package. `setup.py` puts it there under the same name."""

_PACKAGE = Path(grader.__file__).resolve().parent


def installed_course() -> Path | None:
    """Its course.yml: that of a wheel's bundle, or of the clone that the package lies in; None where it has none.

    Nothing further up is looked at: whatever is there came from somewhere else.
    """
    carried = _PACKAGE / FOLDER
    file = (carried if carried.is_dir() else _PACKAGE.parent) / FILE_NAME
    return file if file.is_file() else None


def is_installed(path: Path) -> bool:
    """Whether a place is part of the installed program, where nobody should work."""
    return path.resolve().is_relative_to(_PACKAGE)
