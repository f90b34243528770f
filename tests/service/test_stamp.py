"""Whatever a judge goes by is seen to have changed; what editors leave lying about is no hindrance."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.service.registration import course_stamp


def same_size(path: Path) -> None:
    """As a copy that keeps size and times, in place."""
    before = path.stat()
    path.write_text(path.read_text().replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def exchange(path: Path) -> None:
    """As an archive with fixed times unpacks it."""
    text, before = path.read_text(), path.stat()
    path.unlink()
    path.write_text(text.replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def lead_elsewhere(path: Path) -> None:
    """As a folder that is a link to the newest release."""
    newer = path.parent.with_name("newer")
    path.parent.rename(newer)
    path.parent.symlink_to(newer)


def behind_a_link(path: Path) -> Callable[[Path], None]:
    elsewhere = path.parents[2] / "elsewhere.py"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    return lambda _: same_size(elsewhere)


def editors_lock(path: Path) -> Callable[[Path], None]:
    """Emacs puts a link to nowhere beside each file that is being edited."""
    lock = path.with_name(".#checks.py")
    lock.symlink_to("somebody@somewhere.4711:1795000000")
    return lambda _: lock.unlink()


@pytest.mark.parametrize(
    ("prepare", "change"),
    [
        pytest.param(None, same_size, id="same size and time"),
        pytest.param(None, exchange, id="another file"),
        pytest.param(None, lead_elsewhere, id="a linked folder"),
        pytest.param(None, Path.unlink, id="gone"),
        pytest.param(behind_a_link, None, id="behind a link"),
        pytest.param(editors_lock, None, id="link to nowhere"),
    ],
)
def test_changed_checks_are_seen(
    prepare: Callable[[Path], Callable[[Path], None]] | None,
    change: Callable[[Path], object] | None,
    tiny_course: Path,
) -> None:
    course, checks = tiny_course / "course.yml", tiny_course / "tests/kits/01_parts/01_share/checks.py"
    change = prepare(checks) if prepare else change
    before = course_stamp(course)
    assert course_stamp(course) == before and change
    change(checks)
    assert course_stamp(course) != before
