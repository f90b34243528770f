"""What was autograded before: at hand while it is graded anew, and put back when that comes to nothing.

nbgrader takes the old folder away before it begins, and the new one too when a step fails. A course that was broken
since, or a machine that cannot isolate, is no reason to lose a grading that stood.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import nbformat


@dataclass(frozen=True)
class _Kept:
    copy: Path
    still_counts: bool
    """Whether nothing was handed in since: only then may it stand for the submission again."""


class Former:
    """The gradings that one run of nbgrader's Autograde replaces."""

    def __init__(self, autograde: Any) -> None:
        self._autograde = autograde
        self._place = Path(mkdtemp(prefix="kata-former-"))
        self._kept: dict[Path, _Kept] = {}

    def keep(self, assignment: str, student: str) -> None:
        """Copy what there is of this submission's grading, if there is any."""
        graded = Path(self._autograde._format_dest(assignment, student))
        if not any(graded.glob("*.ipynb")):
            return
        copy = self._place / str(len(self._kept))
        shutil.copytree(graded, copy, symlinks=True)
        submitted = Path(self._autograde._format_source(assignment, student))
        self._kept[graded] = _Kept(copy, self._is_of(graded, submitted))

    def notebook(self, assignment: str, student: str, name: str) -> Any | None:
        """A notebook as it was autograded before; None when there was none."""
        kept = self._kept.get(Path(self._autograde._format_dest(assignment, student)))
        if kept is None:
            return None
        try:
            return nbformat.read(kept.copy / f"{name}.ipynb", as_version=4)
        except Exception:  # nbformat lets through what its parts raise; then nothing is known of before
            return None

    def put_back(self) -> None:
        """Put back what was taken away and not replaced, where it is still the grading of what is handed in."""
        log, is_whole = self._autograde.log, True
        for graded, kept in self._kept.items():
            if kept.still_counts and not any(graded.glob("*.ipynb")):
                shutil.rmtree(graded, ignore_errors=True)
                try:
                    shutil.copytree(kept.copy, graded, symlinks=True)
                    log.warning("As it was before: %s", graded)
                except OSError as error:
                    log.error("%s could not be put back (%s); it is kept in %s", graded, error, kept.copy)
                    is_whole = False
        self._kept.clear()
        if is_whole:
            shutil.rmtree(self._place, ignore_errors=True)

    def _is_of(self, graded: Path, submitted: Path) -> bool:
        time_of = self._autograde.coursedir.get_existing_timestamp
        handed_in = time_of(str(submitted))
        if handed_in is not None and handed_in != time_of(str(graded)):
            return False
        try:
            return all(
                (submitted / each.name).lstat().st_mtime <= each.stat().st_mtime for each in graded.glob("*.ipynb")
            )
        except OSError:
            return False
