"""One submission of a class, and reading it: its content's faults are the learner's, the disk's are not.

The command reads what was handed in; judges get bytes, and no path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.course import Course
from grader.intake import FileProblem, Submission, SubmissionError
from grader.intake.names import printable
from grader.intake.walk import OutOfReach

from .platforms import NameReading


@dataclass(frozen=True)
class SubmissionFiles:
    """One submission of a class: of one learner, or of several who are a group.

    entry: its name in the class, of several files the first one's. learners: their ids. source: reads it where it lies.
    as_group: those of the learners for whom it only counts because they are of a group. readings: whom its name can
    mean.
    """

    entry: str
    learners: tuple[str, ...]
    source: Callable[[Course], Submission]
    is_late: bool = False
    as_group: tuple[str, ...] = ()
    readings: tuple[NameReading, ...] = ()

    def read(self, course: Course) -> Submission:
        """Read it. If its content is unreadable, this is an empty submission with the reason as its problem.

        Its name is the entry's. Raises OutOfReach when a file is missing or the system does not open it.
        """
        try:
            read = self.source(course)
        except OutOfReach:
            raise
        except SubmissionError as error:
            return Submission(self.entry, {}, (FileProblem(printable(self.entry), "unreadable", str(error)),))
        return replace(read, name=self.entry)


def digest_of(submission: Submission, exercise: str | None = None) -> str:
    """SHA-256 of the sources that count and of the problems in reading them; of one exercise, if it is given.

    The submission's name and those of its files do not matter.
    """
    parts: list[bytes] = []
    for id, source in sorted(submission.sources.items()):
        if exercise in (None, id):
            parts += [b"source", id.encode(), source.content]
    for each in submission.problems:
        if exercise in (None, each.exercise):
            said = ("problem", each.file, each.kind, each.message, each.exercise or "")
            parts += [part.encode("utf-8", "surrogatepass") for part in said]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()
