"""Whatever a judge goes by is seen to have changed; what editors leave lying about is no hindrance."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.service.stamp import course_stamp

CHECKS = "tests/kits/01_parts/01_share/checks.py"


def keep_times(path: Path, change: Callable[[], object]) -> None:
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def same_size(path: Path) -> None:
    """As a copy that keeps times, in place."""
    keep_times(path, lambda: path.write_text(path.read_text().replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25")))


def exchange(path: Path) -> None:
    """As an archive with fixed times unpacks it."""
    text, before = path.read_text(), path.stat()
    path.unlink()
    path.write_text(text.replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def lead_elsewhere(path: Path) -> None:
    """As a folder that is a link to the newest release."""
    folder = path.parent
    newer = folder.with_name("newer")
    folder.rename(newer)
    folder.symlink_to(newer)


@pytest.mark.parametrize("change", [same_size, exchange, lead_elsewhere, Path.unlink],
                         ids=["same size and time", "another file", "a linked folder", "gone"])  # fmt: skip
def test_changed_checks_are_seen(change: Callable[[Path], object], tiny_course: Path) -> None:
    before = course_stamp(tiny_course / "course.yml")
    assert course_stamp(tiny_course / "course.yml") == before
    change(tiny_course / CHECKS)
    assert course_stamp(tiny_course / "course.yml") != before


def test_file_behind_a_link_is_seen_to_change(tiny_course: Path, tmp_path: Path) -> None:
    checks, elsewhere = tiny_course / CHECKS, tmp_path / "elsewhere.py"
    checks.rename(elsewhere)
    checks.symlink_to(elsewhere)
    before = course_stamp(tiny_course / "course.yml")
    same_size(elsewhere)
    assert course_stamp(tiny_course / "course.yml") != before


def test_link_to_nowhere_is_no_hindrance(tiny_course: Path) -> None:
    """Emacs puts one beside each file that is being edited."""
    lock = (tiny_course / CHECKS).with_name(".#01_share.py")
    lock.symlink_to("somebody@somewhere.4711:1795000000")
    before = course_stamp(tiny_course / "course.yml")
    assert course_stamp(tiny_course / "course.yml") == before
    lock.unlink()
    assert course_stamp(tiny_course / "course.yml") != before
