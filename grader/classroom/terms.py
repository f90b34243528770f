"""On what terms a class is graded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.levels import Level


@dataclass(frozen=True)
class Terms:
    """On what terms a class is graded: the same for every submission."""

    course: Path
    level: Level
    seed: int
    only: tuple[str, ...] = ()
