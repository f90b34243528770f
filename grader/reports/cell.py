"""A learner's own exercise below a notebook's cell: as HTML with the heat maps as pictures, and the same as text.

It is shown in JupyterLab, VS Code and the classic notebook, light and dark, trusted or not. So it has no styles but
inline ones, takes the page's own ink, and runs nothing.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from grader.exhibits import Exhibits
from grader.reports.heatmap_page import Picture, heatmap_picture
from grader.reports.pages import render_page
from grader.reports.terminal import print_verdicts
from grader.reports.wording import ISOLATION, common_cause
from grader.results import ExerciseResult, Record

TEXT_WIDTH = 100
"""Columns of the text: what fits into a notebook's output without scrolling."""


@dataclass(frozen=True)
class Verdict:
    """What became of the one exercise in a record, and the number of the cell that it was taken from."""

    record: Record
    title: str
    cell: int
    exhibits: Exhibits
    remarks: Sequence[str] = ()
    """Sentences about what else came of it."""

    @property
    def _exercise(self) -> ExerciseResult:
        (exercise,) = self.record.exercises
        return exercise

    def text(self) -> str:
        """As `kata check` prints it, with the checks that passed."""
        # a kernel's environment asks for colours
        console = Console(file=io.StringIO(), width=TEXT_WIDTH, force_terminal=False, legacy_windows=False)
        with console.capture() as captured:
            titles = {self._exercise.id: self.title}
            print_verdicts(self.record, console, titles=titles, exhibits=self.exhibits, with_passed=True)
        lines = [line.rstrip() for line in captured.get().splitlines()]
        return "\n".join([*lines, "", *self.remarks, self._closing()])

    def html(self) -> str:
        """The same for a page."""
        return render_page(
            "cell.html.j2",
            exercise=self._exercise,
            title=self.title,
            problems=self.record.problems,
            common_cause=common_cause,
            pictures=self._pictures(),
            remarks=self.remarks,
            closing=self._closing(),
        )

    def _pictures(self) -> dict[str, Picture]:
        return {check: heatmap_picture(exhibit) for (_, check), exhibit in self.exhibits.items()}

    def _closing(self) -> str:
        again = f'kata.check("{self._exercise.id}", seed={self.record.seed})'
        return (
            f"Checked as it was run in [{self.cell}]. Isolation: {ISOLATION[self.record.isolation]}. "
            f"The same inputs again with {again}"
        )
