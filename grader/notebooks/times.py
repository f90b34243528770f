"""When something was handed in, told by when its files were last changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from datetime import datetime, timezone
from pathlib import Path

from grader.submission.folder import MAX_ENTRIES
from grader.submission.naming import is_passed_over, printable

NBGRADERS_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"


def last_changed(submission: Path, files: Collection[str]) -> datetime:
    """When the newest of these files was changed last, in UTC, and no later than now.

    Of a zip or another single file its own time counts. So do all files of a folder when one of `files` is not found.

    files: names as the intake gives them, relative to the submission.
    """
    times = dict(_times(submission))
    chosen = [times[name] for name in files if name in times]
    if len(chosen) < len(files) or not chosen:
        chosen = list(times.values()) or [os.lstat(submission).st_mtime]
    now = datetime.now(timezone.utc)
    # a clock that was wrong, or a time that someone made up
    return now if max(chosen) > now.timestamp() else datetime.fromtimestamp(max(*chosen, 0.0), timezone.utc)


def _times(submission: Path) -> Iterator[tuple[str, float]]:
    looked_at = 0
    if submission.is_symlink():
        return
    for folder, inner, files in os.walk(submission):  # which goes through no link below
        inner[:] = [name for name in inner if not is_passed_over(name)]
        for name in files:
            looked_at += 1
            if looked_at > MAX_ENTRIES:  # the intake takes nothing of such a folder
                return
            path = Path(folder, name)
            try:
                status = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and not is_passed_over(name):
                yield printable(path.relative_to(submission).as_posix()), status.st_mtime
