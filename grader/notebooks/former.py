"""Keeps earlier gradings while a submission is graded again, and restores them if that fails.

nbgrader deletes the old folder before it begins, and the new one when a step fails. A course broken since then, or a
machine that cannot isolate, should not cost a valid grading.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import nbformat


@dataclass(frozen=True)
class _KeptGrading:
    copy: Path
    still_counts: bool
    """Whether the submission is unchanged since: only then may the grading be restored."""


class EarlierGradings:
    """The gradings that one run of nbgrader's Autograde replaces."""

    def __init__(self, autograde: Any) -> None:
        self._autograde = autograde
        self._place = Path(mkdtemp(prefix="kata-former-"))
        self._kept: dict[Path, _KeptGrading] = {}

    def keep(self, assignment: str, student: str) -> None:
        """Copy this submission's grading, if there is one."""
        graded = Path(self._autograde._format_dest(assignment, student))
        if not any(graded.glob("*.ipynb")):
            return
        copy = self._place / str(len(self._kept))
        shutil.copytree(graded, copy, symlinks=True)
        submitted = Path(self._autograde._format_source(assignment, student))
        self._kept[graded] = _KeptGrading(copy, self._is_of(graded, submitted))

    def notebook(self, assignment: str, student: str, name: str) -> Any | None:
        """The notebook of the earlier grading; None when there was none."""
        kept = self._kept.get(Path(self._autograde._format_dest(assignment, student)))
        if kept is None:
            return None
        try:
            return nbformat.read(kept.copy / f"{name}.ipynb", as_version=4)
        except Exception:  # nbformat lets internal errors through; then treat it as missing
            return None

    def put_back(self) -> None:
        """Restore gradings that were deleted and not replaced, if they still belong to the current submission."""
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
