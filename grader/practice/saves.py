"""Which files were saved: the workspace's exercises and reviews are watched from a thread of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import watchfiles

from grader.submission.naming import REVIEWS
from grader.writing import make_folder

from .workspace import Work, Workspace

SETTLED_MS = 10
"""A save counts once nothing more has changed for so long: an editor writes a file in more than one step."""

LONGEST_MS = 200


@contextlib.contextmanager
def watching(workspace: Workspace, take: Callable[[list[Work]], None]) -> Iterator[None]:
    """Hand the files that were saved to `take`, those saved together together."""
    reviews = workspace.root / REVIEWS
    make_folder(reviews, below=workspace.root)  # only a folder that is there can be watched
    ended = threading.Event()
    started = threading.Event()

    def watch() -> None:
        started.set()
        changes = watchfiles.watch(
            workspace.root / "exercises",
            reviews,
            debounce=LONGEST_MS,
            step=SETTLED_MS,
            stop_event=ended,
            raise_interrupt=False,
            rust_timeout=500,
            ignore_permission_denied=True,
        )
        for change in changes:
            saved = {work.path: work for _, path in change if (work := workspace.work_at(Path(path)))}
            if saved:
                take([saved[path] for path in sorted(saved)])

    thread = threading.Thread(target=watch, name="saves", daemon=True)
    thread.start()
    started.wait()
    try:
        yield
    finally:
        ended.set()
