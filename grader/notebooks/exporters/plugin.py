"""What our exporters share: whom and what to export, and the file that is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.plugins import ExportPlugin

from grader.reports.formats import FormatError, Learner
from grader.writing import write_output

from .gradebook import Unit, UnknownNameError, learners_of, units_of


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

    def text(self, learners: list[Learner], units: list[Unit]) -> str:
        """The file's text. Raises FormatError when there can be none."""
        raise NotImplementedError

    def _fail(self, sentence: str) -> NoReturn:
        self.log.error(sentence)
        sys.exit(1)
