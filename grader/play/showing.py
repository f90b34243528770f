"""An exercise at work: its scene part by part, kept for the learner's report, or written as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.files import write_file
from grader.practice.progress import now
from grader.practice.workspace import Workspace

from .catalogue import Play, Standing, digest_of, scene_of
from .keeping import keep, played_of
from .parts import Part, Words
from .scene_page import render_play
from .stage import Stage, Stopped

PAGES = "play"
"""The folder for pages, beside the exercises."""


class Showing:
    """The scene of a learner's own code. `has_failed`: whether that code failed in it."""

    def __init__(self, workspace: Workspace, play: Play, standing: Standing, stage: Stage) -> None:
        self._workspace, self._play, self._standing, self._stage = workspace, play, standing, stage
        self._scene = scene_of(play, stage)
        self.example = self._scene.example
        """The text used when none is given."""
        self.has_failed = False

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Yield each part as soon as it is computed, and a warning for what goes wrong. The parts are then kept.

        in_full: all parts, for a page. Raises BadText, UnknownSwitch, MachineError.
        """
        seen: list[Part] = []
        try:
            for part in self._scene.parts(text, off, in_full=in_full):
                seen.append(part)
                yield part
        except Stopped as why:
            self.has_failed = True
            yield Words(f"Your code could not go on. {why}", "warning")
            return
        if off:
            return
        digest, was_right = digest_of(self._stage.source), not self._standing.is_warning
        try:
            keep(self._workspace, self._play.id, played_of(seen, now(), digest, was_right=was_right))
        except OSError as error:
            yield Words(f"What was seen could not be kept for your report: {error.strerror or error}.", "warning")

    def write_page(self, parts: Sequence[Part]) -> Path:
        """Write the parts as a page, and return its path. Raises OSError."""
        title, standing = self._stage.exercise.title, self._standing
        page = render_play(title, standing.said, self._play.seen, parts, is_warning=standing.is_warning)
        path = self._workspace.root / PAGES / f"{self._play.id}.html"
        write_file(path, page.encode("utf-8"), below=self._workspace.root)
        return path
