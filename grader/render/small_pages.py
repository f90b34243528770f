"""Renders two small pages: a single record, and the verdict below a notebook's cell.

Both are self-contained and have no scripts. Below a cell the heat maps are pictures, and the same content is there as
text. It is shown in JupyterLab, VS Code and the classic notebook, light and dark, trusted or not. So it has only inline
styles, and uses the page's own text colour.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

from grader.mismatch import Mismatches
from grader.played import Played
from grader.record import ExerciseResult, Record

from .heatmap_page import Picture, heatmap_picture
from .pages import render_page
from .played import all_at_work
from .terminal import print_verdicts
from .wording import ISOLATION, Units, by_unit, common_cause, passed_count, ungraded

NOTHING_PLAYED: Mapping[str, Played] = {}


def render_record(
    record: Record, *, titles: Mapping[str, str], units: Units, played: Mapping[str, Played] = NOTHING_PLAYED
) -> str:
    """The page of one record.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    played: what the learner handed in of exercises at work, by id.
    """
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {exercise.id: f"exercise-{number}" for number, exercise in enumerate(record.exercises, 1)}
    return render_page(
        "record.html.j2",
        record=record,
        units=by_unit(record, units),
        titles={exercise.id: titles.get(exercise.id, exercise.id) for exercise in record.exercises},
        anchors=anchors,
        at_work=all_at_work(played, anchors),
        passed=passed_count(record),
        warning=ungraded(record),
    )


TEXT_WIDTH = 100
"""Columns of the text that fit into a notebook's output without scrolling."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on the one exercise in a record, and the number of the cell that it was taken from."""

    record: Record
    title: str
    cell: int
    mismatches: Mismatches
    remarks: Sequence[str] = ()
    """Sentences about further effects, such as a review's date."""

    @property
    def _exercise(self) -> ExerciseResult:
        (exercise,) = self.record.exercises
        return exercise

    def text(self) -> str:
        """As `kata check` prints it, including passed checks."""
        # a kernel's environment asks for colours
        console = Console(file=io.StringIO(), width=TEXT_WIDTH, force_terminal=False, legacy_windows=False)
        with console.capture() as captured:
            titles = {self._exercise.id: self.title}
            print_verdicts(self.record, console, titles=titles, mismatches=self.mismatches, with_passed=True)
        lines = [line.rstrip() for line in captured.get().splitlines()]
        return "\n".join([*lines, "", *self.remarks, self._closing()])

    def html(self) -> str:
        """The same as HTML."""
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
        return {check: heatmap_picture(mismatch) for (_, check), mismatch in self.mismatches.items()}

    def _closing(self) -> str:
        again = f'kata.check("{self._exercise.id}", seed={self.record.seed})'
        return (
            f"Checked as it was run in [{self.cell}]. Isolation: {ISOLATION[self.record.isolation]}. "
            f"The same inputs again with {again}"
        )
