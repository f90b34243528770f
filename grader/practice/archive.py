"""Old work that was put aside: nothing that a learner wrote is ever thrown away."""

from __future__ import annotations

from pathlib import Path

from grader.course import Exercise
from grader.stubs import stub_of

from .progress import now
from .workspace import Workspace


def reset(workspace: Workspace, exercise: Exercise) -> Path | None:
    """Put the stub in the place of a learner's file; return where the old work is now, None when there was none."""
    path = workspace.file_of(exercise)
    stub = stub_of(workspace.course, exercise).encode()
    kept = None
    if path.exists() and path.read_bytes() != stub:
        kept = free_name(workspace.state / "archive" / exercise.id)
        kept.parent.mkdir(parents=True, exist_ok=True)
        path.replace(kept)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stub)
    return kept


def free_name(folder: Path) -> Path:
    """A file name for now that is not taken yet."""
    stamp = now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    number, path = 1, folder / f"{stamp}.py"
    while path.exists():
        number, path = number + 1, folder / f"{stamp}_{number}.py"
    return path
