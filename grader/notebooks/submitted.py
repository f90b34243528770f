"""What lies in `submitted/`: which of it may be graded, when it was handed in, and by which secret feedback is found.

nbgrader follows links, copies everything beside a notebook, even into the feedback, and writes the name of a learner's
folder into its pages as HTML. So a link to `source/` would give full marks, and one to a device would end the batch.
Here a submission is notebooks, a time and a secret, in ordinary folders with plain names; all else stays where it is.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from grader.errors import KataError
from grader.intake.names import printable
from grader.intake.submission import UnreadableError
from grader.intake.walk import read_regular

TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"
"""`nbgrader submit` creates it beside a notebook: in the exchange, feedback is found only by it."""
_MOST_BYTES = {TIMESTAMP: 200, SECRET: 1000}

NOT_IN_NAMES = '<>"\\*?[]'
"""Characters that nbgrader's pages take for HTML or script text, and its commands for glob patterns."""


@dataclass(eq=False)
class Submitted:
    """One learner's folder for one assignment, and the notebooks in it that nbgrader was asked to grade.

    time: when it was handed in, as text that nbgrader can read; None if nothing says so. `demand_sound` reads it.
    refused: why it was not graded, to follow the folder's name. problems: what could not be taken of it, in sentences.
    """

    learner: str
    assignment: str
    folder: Path
    notebooks: Sequence[Path]
    time: str | None = None
    refused: str = ""
    problems: list[str] = field(default_factory=list)

    def demand_sound(self, source: Path) -> None:
        """Raise KataError, to follow the folder's name, when this must not be graded.

        source: the folder of the assignment's source notebooks.
        """
        if not self.learner.isprintable() or set(self.learner) & set(NOT_IN_NAMES):
            raise KataError(
                f"has characters in the learner's name that make trouble in pages ({NOT_IN_NAMES}, invisible ones)."
            )
        for each in (self.folder, self.folder.parent):
            if each.is_symlink():
                raise KataError(f"is reached by a link, {each.name}. Put the learner's own folder in its place.")
        for notebook in self.notebooks:
            original = source / notebook.name
            # a link instead of a notebook is refused by the intake, without points
            if not notebook.is_symlink() and original.exists() and notebook.samefile(original):
                raise KataError(f"holds no notebook of its own: {notebook.name} is the course's, with the solutions.")
        try:
            self.time = self._text_of(TIMESTAMP)
            if self.time and self.time.strip():
                parse_utc(self.time.strip())
        except UnreadableError as error:
            raise KataError(f"has a {TIMESTAMP} that {error}.") from None
        except Exception:  # the date parser lets any internal error through, such as one from decimal division
            raise KataError(
                f"has a {TIMESTAMP} that holds no time that nbgrader can read; correct it or take it away."
            ) from None

    def secret(self, log: Any) -> str:
        """The secret by which `nbgrader fetch_feedback` finds the page; one that nobody knows where there is none."""
        try:
            if text := self._text_of(SECRET):
                return text
        except UnreadableError as error:
            where = printable(str(self.folder / SECRET))
            log.warning("%s %s: this learner cannot fetch feedback.", where, error)
        return secrets.token_hex()

    def complete(self, graded: Path) -> None:
        """Write when its newest notebook was last changed into its autograded folder, if that holds no time.

        `nbgrader release_feedback` would stop for all without it. Lateness goes by the gradebook, which is not told.
        """
        if not graded.is_dir() or (graded / TIMESTAMP).exists():
            return
        now = datetime.now(timezone.utc).timestamp()
        times = [path.lstat().st_mtime for path in self.notebooks]
        # a wrong clock, or a forged time, is later
        changed = datetime.fromtimestamp(min(max(times, default=now), now), timezone.utc)
        (graded / TIMESTAMP).write_text(changed.strftime("%Y-%m-%d %H:%M:%S.%f UTC"), "ascii")

    def _text_of(self, name: str) -> str | None:
        path, most = self.folder / name, _MOST_BYTES[name]
        if not path.exists() and not path.is_symlink():
            return None
        content = read_regular(path, most)
        if len(content) > most:
            raise UnreadableError("is longer than any such file")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise UnreadableError("holds no text") from None


def submissions_in(coursedir: Any, found: Mapping[str, Sequence[str]]) -> Iterator[Submitted]:
    """The submissions that nbgrader found, without those of excluded learners.

    coursedir: nbgrader's CourseDirectory. found: the notebooks of each learner's folder, as in `assignments` of
    nbgrader's converters.
    """
    pattern = coursedir.format_path(coursedir.submitted_directory, "(?P<learner>.*)", "(?P<assignment>.*)", escape=True)
    excluded = coursedir.student_id_exclude.split(",")
    for place in sorted(found):
        named = re.fullmatch(pattern, place, re.DOTALL)
        if named and named["learner"] not in excluded:
            yield Submitted(named["learner"], named["assignment"], Path(place), sorted(map(Path, found[place])))
