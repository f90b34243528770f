"""What every scene is to the command that shows it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from .catalogue import Play
from .parts import Part
from .stage import Stage


class BadText(Exception):
    """What was typed cannot be played; the text is one sentence."""


class Scene(Protocol):
    """One exercise at work. `example` is played when nothing is typed."""

    example: str

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """What there is to see, part by part, as it is found; in full for a page.

        Raises BadText, UnknownSwitch for what was typed, Stopped where the learner's code fails, MachineError.
        """
        ...


def scene_of(play: Play, stage: Stage) -> Scene:
    """The scene of an exercise, on a stage."""
    module = importlib.import_module(f"grader.play.scenes.{play.scene}")
    return cast(Scene, module.Scene(play, stage))
