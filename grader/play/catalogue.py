"""The exercises that `kata play` can run. Listing them imports nothing heavy.

Reads which parts are switched off in a scene (--without mask, scale, residual, positions, head:1.3), and decides from
the progress file whether a learner's file may be played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from grader.course import Exercise
from grader.course.stubs import same_as_stub, stub_of
from grader.errors import KataError
from grader.practice.progress import Progress, digest_of
from grader.practice.workspace import Workspace, content_of
from grader.record import ExerciseResult

if TYPE_CHECKING:
    from .parts import Words

# --- what can be switched off -----------------------------------------------------------------------------------------

Off = tuple[str, ...]
"""Parts that are switched off, as they are typed: "mask", or "head:1.2", the second head of the first layer."""


def named(off: Off) -> str:
    """These parts in words: mask, head 1.2."""
    return ", ".join(off).replace(":", " ")


def head_off(layer: int, head: int) -> str:
    """The part that is one head; layer and head are counted from 0."""
    return f"head:{layer + 1}.{head + 1}"


def switched_off(play: Play, names: Sequence[str], layers: int, heads: int) -> Off:
    """The parts of these names, each once. Raises KataError for one that is not there."""
    there = [f"head:1.1 to head:{layers}.{heads}" if each == "head" else each for each in play.switches]
    known = {each for each in play.switches if each != "head"}
    if "head" in play.switches:
        known |= {head_off(layer, head) for layer in range(layers) for head in range(heads)}
    for name in names:
        if not there:
            raise KataError(f"Nothing can be switched off in {play.id}.")
        if name not in known:
            raise KataError(f"{name!r} cannot be switched off in {play.id}: there is {', '.join(there)}.")
    return tuple(dict.fromkeys(names))


# --- whether it may be played -----------------------------------------------------------------------------------------

CHECK, PLAY = "kata check {}", "kata play {}"
"""How an exercise is checked and played in a terminal."""


def standing_of(workspace: Workspace, progress: Progress, exercise: Exercise) -> Words:
    """The state of the learner's file, a warning if it has not passed. Raises KataError if it was never checked."""
    content, file = content_of(workspace.file_of(exercise)), workspace.shown(workspace.file_of(exercise))
    if content is None or same_as_stub(content, stub_of(workspace.course, exercise)):
        raise KataError(f"{exercise.id} is not written yet: its file is {file}.")
    return standing_with(content, progress, exercise)


def standing_with(content: bytes, progress: Progress, exercise: Exercise, check: str = CHECK) -> Words:
    """The same for the content of a file; check: the command that checks it there. Raises KataError."""
    from .parts import Words

    known = progress.exercises.get(exercise.id)
    last = known.attempts[-1] if known and known.attempts else None
    how = check.format(exercise.id)
    if last is None:
        raise KataError(f"{exercise.id} was not checked yet. First: {how}")
    if last.digest != digest_of(content):
        return Words(f"Your code has changed since it was checked last: {how}", "warning")
    if last.status == "failed":
        return Words("Your last check did not pass. This is what your code does, right or wrong.", "warning")
    if last.status == "partly":
        return Words("Your code holds as far as it can be checked here.")
    return Words("Your code passed its check.")


def waits_for(workspace: Workspace, progress: Progress, play: Play) -> str:
    """What the learner must do first, in a few words; empty when the exercise can be played."""
    try:
        standing = standing_of(workspace, progress, workspace.course.exercise(play.id))
    except KataError:
        return f"first pass it: kata check {play.id}"
    return f"not passed as it is: kata check {play.id}" if standing.kind == "warning" else ""


def offer_of(result: ExerciseResult, play: str = PLAY) -> str:
    """A sentence after a check that offers `kata play`; empty where there is nothing to see.

    Wrong code is offered if it computes something, so that the learner sees the effect: where a check passed, or where
    a known mistake was found. Code that fails before it has an answer has nothing to show.
    """
    computes = result.diagnosis or any(check.outcome == "passed" for check in result.checks)
    is_seen = computes or result.status == "partly"
    return f"See it at work: {play.format(result.id)}" if is_seen and play_of(result.id) else ""


# --- the exercises ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """A playable exercise: its scene's module and class, what the learner sees there, what can be switched off.

    example: the text that is played if none is given. reads: the kind of text that one types, if any. intro, closing:
    paragraphs before and after the scene. goes_on: whether a stopped scene keeps its state.
    """

    id: str
    scene: str
    seen: str
    example: str
    reads: str = ""
    switches: Sequence[str] = ()
    intro: Sequence[str] = ()
    closing: Sequence[str] = ()
    goes_on: bool = False


_TEXT, _LOADER = Path(__file__).with_name("plays.yml").read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PLAYS = tuple(Play(id, **fields) for fields in yaml.load(_TEXT, _LOADER) for id in fields.pop("exercises"))


def play_of(id: str) -> Play | None:
    """How an exercise is played; None if it cannot be."""
    return next((play for play in PLAYS if play.id == id), None)
