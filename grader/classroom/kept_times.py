"""OUT/times.json: hand-in times, extensions and exemptions of a class, as last given.

So they need not be given again when a run is resumed or a policy is applied again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.course import Course
from grader.errors import KataError
from grader.files import write_file

from .exemptions import Exempt, read_exemptions
from .times import Row, read_extensions, read_hand_ins

TIMES = "times.json"


class KeptTimes(BaseModel):
    """What is known of a class's hand-ins. None: not given."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # earlier versions kept more

    version: int = 1
    handed_in: tuple[Row, ...] | None = None
    extensions: tuple[Row, ...] | None = None
    exempt: tuple[Exempt, ...] | None = None

    def over(self, earlier: KeptTimes) -> KeptTimes:
        """These times; where they are None, the earlier ones."""
        return KeptTimes(
            handed_in=earlier.handed_in if self.handed_in is None else self.handed_in,
            extensions=earlier.extensions if self.extensions is None else self.extensions,
            exempt=earlier.exempt if self.exempt is None else self.exempt,
        )


@dataclass(frozen=True)
class PolicyTables:
    """The CSVs that a command was given for the policy. raw: whether the policy is left out."""

    handed_in: Path | None = None
    extensions: Path | None = None
    exempt: Path | None = None
    raw: bool = False

    def read(self, course: Course) -> KeptTimes:
        """What they say. Raises KataError when one would have no effect, or cannot be used."""
        useless = [name for name, path in (("--handed-in", self.handed_in), ("--extensions", self.extensions)) if path]
        if useless and self.raw:
            raise KataError(f"With --raw nobody is late: leave out {' and '.join(useless)}.")
        if useless and not course.policy.due:
            raise KataError(f"course.yml gives no due dates, so there is no use for {' and '.join(useless)}.")
        if self.exempt and self.raw:
            raise KataError("With --raw everything counts: leave out --exempt.")
        return KeptTimes(
            handed_in=tuple(read_hand_ins(self.handed_in, course)) if self.handed_in else None,
            extensions=tuple(read_extensions(self.extensions, course)) if self.extensions else None,
            exempt=tuple(read_exemptions(self.exempt, course)) if self.exempt else None,
        )


def read_kept_times(out: Path) -> KeptTimes:
    """The times kept in OUT; empty if there is no file. Raises KataError when it cannot be read."""
    path = out / TIMES
    try:
        return KeptTimes.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return KeptTimes()
    except (OSError, ValidationError):
        raise KataError(
            f"{path} cannot be read, so nobody knows who was late: "
            "remove it, and give --handed-in, --extensions and --exempt again."
        ) from None


def write_kept_times(out: Path, times: KeptTimes) -> None:
    """Write the times into OUT, all or none; writes no file if nothing is known. Raises OSError."""
    path = out / TIMES
    if times == KeptTimes():
        path.unlink(missing_ok=True)
    else:
        write_file(path, [(times.model_dump_json(indent=1) + "\n").encode()])
