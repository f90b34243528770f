"""Saves what `kata play` showed of a learner's own code, for `kata report` and the class page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from grader.files import lock_at, write_file
from grader.played import (
    FILE_NAME,
    MOST_LETTERS,
    MOST_MAPS,
    MOST_PLACES,
    MOST_TEXTS,
    Played,
    PlayedMap,
    as_bytes,
    from_bytes,
    in_steps,
)
from grader.practice.workspace import Workspace

from .parts import Heat, Part, Written

LOCK_SECONDS = 20


def played_of(parts: Sequence[Part], at: datetime, digest: str, *, was_right: bool) -> Played:
    """The parts to save: the learner's own maps (not those by the formula) and the last texts."""
    maps = [part for part in parts if isinstance(part, Heat) and not part.by_formula and _fits(part)]
    written = [part for part in parts if isinstance(part, Written)]
    last = written[-1] if written else Written("", "", ())
    return Played(
        at=at,
        digest=digest,
        was_right=was_right,
        maps=tuple(
            PlayedMap(
                title=each.title[:MOST_LETTERS],
                rows=each.rows,
                columns=each.columns,
                steps=in_steps(each.values, each.high),
                high=each.high,
            )
            for each in maps[:MOST_MAPS]
        ),
        given=last.given[:MOST_LETTERS],
        wrote=tuple((who[:MOST_LETTERS], text[:MOST_LETTERS]) for who, text in last.texts[:MOST_TEXTS]),
    )


def _fits(heat: Heat) -> bool:
    return max(len(heat.rows), len(heat.columns)) <= MOST_PLACES


def keep(workspace: Workspace, id: str, played: Played) -> None:
    """Save it in place of what was saved for this exercise before. Raises OSError."""
    path = workspace.state / FILE_NAME
    with lock_at(path.with_suffix(".lock"), below=workspace.root, seconds=LOCK_SECONDS):
        known = read_kept(workspace)
        write_file(path, as_bytes({**known, id: played}), below=workspace.root)


def read_kept(workspace: Workspace) -> dict[str, Played]:
    """What was saved so far, by exercise. An unreadable file counts as empty: the learner can play again."""
    try:
        return from_bytes((workspace.state / FILE_NAME).read_bytes()) or {}
    except OSError:
        return {}
