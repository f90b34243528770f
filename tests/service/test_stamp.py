"""Whatever a judge goes by is seen to have changed; what editors leave lying about is no hindrance."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.service.client import course_stamp


def same_size(path: Path) -> None:
    """As a copy that keeps size and times, in place."""
    before = path.stat()
    path.write_text(path.read_text().replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def exchange(path: Path) -> None:
    """As an archive with fixed times unpacks it."""
    newer = shutil.copy2(path, path.with_name("newer"))
    same_size(newer)
    newer.replace(path)


def lead_elsewhere(path: Path) -> None:
    """As a folder that is a link to the newest release."""
    newer = path.parent.with_name("newer")
    path.parent.rename(newer)
    path.parent.symlink_to(newer)


@pytest.fixture
def course(tiny_course: Path) -> Path:
    return tiny_course / "course.yml"


@pytest.fixture
def checks(tiny_course: Path) -> Path:
    return tiny_course / "tests/kits/01_parts/01_share/checks.py"


@pytest.mark.parametrize(
    "change",
    [same_size, exchange, lead_elsewhere, Path.unlink],
    ids=["same size and time", "another file", "a linked folder", "gone"],
)
def test_changed_checks_are_seen(change: Callable[[Path], object], course: Path, checks: Path) -> None:
    before = course_stamp(course)
    assert course_stamp(course) == before
    change(checks)
    assert course_stamp(course) != before


def test_change_behind_a_link_is_seen(course: Path, checks: Path) -> None:
    elsewhere = checks.rename(checks.parents[2] / "elsewhere.py")
    checks.symlink_to(elsewhere)
    before = course_stamp(course)
    same_size(elsewhere)
    assert course_stamp(course) != before


def test_link_to_nowhere_is_no_hindrance(course: Path, checks: Path) -> None:
    """Emacs puts one beside each file that is being edited."""
    lock = checks.with_name(".#checks.py")
    lock.symlink_to("somebody@somewhere.4711:1795000000")
    before = course_stamp(course)
    lock.unlink()
    assert course_stamp(course) != before
