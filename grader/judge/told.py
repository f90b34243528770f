"""What a learner who runs pytest reads of a failed check, as wide and as colourful as the terminal is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from grader.exhibits import Exhibit

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

PLAIN_WIDTH = 80
"""Columns of what is not written to a terminal."""


def tell(report: pytest.TestReport, told: Told) -> None:
    """Have pytest report a check as failed, in these words."""
    report.outcome = "failed"
    report.longrepr = told  # type: ignore[assignment]  # pytest asks for no more than `toterminal` and `str`


@dataclass(frozen=True)
class Told:
    """What a learner reads about a failed check. To pytest it is a representation of a failure like its own."""

    sentences: Sequence[str]
    exhibit: Exhibit | None
    diagnosis: str

    def __str__(self) -> str:
        """Without colour: for xdist, JUnit, editors."""
        return self._text(PLAIN_WIDTH, colour=False)

    def toterminal(self, writer: TerminalWriter) -> None:
        """Write it as wide and as colourful as the terminal is."""
        for line in self._text(writer.fullwidth, colour=writer.hasmarkup).splitlines():
            writer.line(line)

    def _text(self, width: int, *, colour: bool) -> str:
        seen = ""
        if self.exhibit is not None:
            from grader.reports.heatmap import heatmap_text

            seen = heatmap_text(self.exhibit, width, colour=colour)
        return "\n".join(part for part in (*self.sentences, seen, self.diagnosis) if part)
