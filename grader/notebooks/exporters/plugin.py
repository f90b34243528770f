"""What our exporters share: whom and what to export, and the file that is written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.plugins import ExportPlugin

from grader.reports.formats import FormatError, Learner
from grader.reports.wording import counted
from grader.submission.naming import printable
from grader.writing import write_output

from .gradebook import State, Unit, UnknownNameError, learners_of, units_of

MOST_NAMED = 20
"""Of the learners whose marks are missing; the rest are counted."""

_WAY_OUT: dict[State, Callable[[Unit], str]] = {
    State.BY_HAND: lambda unit: "A person has to mark them first: formgrader, Manual Grading.",
    State.NOT_AUTOGRADED: lambda unit: f"What was handed in last is not graded: nbgrader autograde {unit.name}",
}


class TextExporter(ExportPlugin):
    """Writes one text file, UTF-8, whole or not at all."""

    default_name = "grades.csv"

    def export(self, gradebook: Any) -> None:
        """Write the file, called as nbgrader's `--to` says; what cannot be done ends the command with a sentence."""
        path = Path(self.to or self.default_name)
        try:
            units = units_of(gradebook, self.parent.coursedir, {str(name) for name in self.assignment})
            learners = learners_of(gradebook, units, {str(id) for id in self.student})
            write_output(path, self.text(learners, units).encode("utf-8"))
        except (UnknownNameError, FormatError) as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{path} cannot be written: {error.strerror}.")
        self.log.info("Wrote %s", path)
        for unit in units:
            states = {learner.id: unit.mark(learner.id).state for learner in learners}
            for state in _WAY_OUT:
                self._tell_of_missing(unit, state, [id for id, its in states.items() if its is state])

    def _tell_of_missing(self, unit: Unit, state: State, ids: list[str]) -> None:
        """Say whose marks the file lacks although something was handed in: an empty field says that to nobody."""
        if not ids:
            return
        more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
        named = ", ".join(map(printable, ids[:MOST_NAMED])) + more
        self.log.warning(
            "%s: no mark yet for %s: %s. %s", unit.name, counted(len(ids), "learner"), named, _WAY_OUT[state](unit)
        )

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
        """The file's text. Raises FormatError when there can be none."""
        raise NotImplementedError

    def _fail(self, sentence: str) -> NoReturn:
        self.log.error(sentence)
        sys.exit(1)
