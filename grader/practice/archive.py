"""Old work that was put aside: nothing that a learner wrote is ever thrown away."""

from __future__ import annotations

import os
from pathlib import Path

from grader.course import Exercise
from grader.stubs import stub_of
from grader.writing import move_file, write_file

from .progress import now
from .workspace import Workspace, content_of


def reset(workspace: Workspace, exercise: Exercise) -> Path | None:
    """Put the stub in the place of a learner's file; return where the old work is now, None when there was none."""
    path = workspace.file_of(exercise)
    stub = stub_of(workspace.course, exercise).encode()
    kept = None
    if os.path.lexists(path) and content_of(path) != stub:
        kept = put_aside(workspace, exercise, path)
    write_file(path, stub, below=workspace.root)
    return kept


def put_aside(workspace: Workspace, exercise: Exercise, path: Path) -> Path:
    """Move a file of an exercise into the archive; return where it is now."""
    kept = free_name(workspace.state / "archive" / exercise.id)
    move_file(path, kept, below=workspace.root)
    return kept


def free_name(folder: Path) -> Path:
    """A file name for now that is not taken yet."""
    stamp = now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    number, path = 1, folder / f"{stamp}.py"
    while os.path.lexists(path):
        number, path = number + 1, folder / f"{stamp}_{number}.py"
    return path
