"""Shows a verdict below a notebook's cell, as text and as HTML: where a learner checks it, and where it was graded.

It is read in JupyterLab, VS Code, the classic notebook, nbgrader's formgrader and its feedback, light and dark, trusted
or not. So it has only inline styles, no scripts, and the page's own text colour; heat maps are pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .heatmap import HeatMap
from .heatmap_svg import heatmap_picture
from .heatmap_terminal import as_text
from .pages import render_page
from .terminal import print_verdict
from .verdict import ExerciseVerdict

TEXT_WIDTH = 100
"""Columns of the text that fit into a notebook's output without scrolling."""


@dataclass(frozen=True)
class CellOutput:
    """The verdict on the one exercise of a cell.

    problems: sentences about what was handed in. remarks: sentences on further effects, such as a review's date.
    closing: how it was graded, in a sentence.
    """

    verdict: ExerciseVerdict
    closing: str
    problems: Sequence[str] = ()
    remarks: Sequence[str] = ()

    def text(self) -> str:
        """As `kata check` prints it, including passed checks."""
        verdict = as_text(lambda console: print_verdict(self.verdict, console), TEXT_WIDTH)
        return "\n".join([verdict, *self.problems, "", *self.remarks, self.closing])

    def html(self) -> str:
        """The same as HTML."""
        pictures = {
            mismatch: heatmap_picture(HeatMap.of_mismatch(mismatch))
            for failure in self.verdict.failures
            for mismatch in failure.mismatches
        }
        return render_page("cell.html.j2", output=self, shown=self.verdict, pictures=pictures)
