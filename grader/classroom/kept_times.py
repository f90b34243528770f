"""OUT/times.json: when the class handed in, who has more time, and who opened hints, as it was told last.

So a run that goes on, or a policy that is applied anew, need not be told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timezone
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from grader.writing import write_file

from .opened_hints import OpenedHints
from .times import Row, TimesError

TIMES = "times.json"


class _Told(BaseModel):
    """One row of a CSV: whose, of which unit, when in UTC, of which attempt if that was said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    unit: str
    moment: AwareDatetime
    attempt: str = ""

    @classmethod
    def of(cls, row: Row) -> _Told:
        return cls(learner=row.learner, unit=row.unit, moment=row.moment, attempt=row.attempt)

    def row(self) -> Row:
        return Row(self.learner, self.unit, self.moment.astimezone(timezone.utc), self.attempt)


class KeptTimes(BaseModel):
    """What is known of a class's hand-ins and opened hints. None: it was not told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    handed_in: tuple[_Told, ...] | None = None
    extensions: tuple[_Told, ...] | None = None
    hints: tuple[OpenedHints, ...] | None = None

    @classmethod
    def of(
        cls,
        handed_in: Sequence[Row] | None,
        extensions: Sequence[Row] | None,
        hints: Sequence[OpenedHints] | None = None,
    ) -> KeptTimes:
        """What the rows of the CSVs say, each None where it was not given."""
        return cls(
            handed_in=_told(handed_in),
            extensions=_told(extensions),
            hints=None if hints is None else tuple(hints),
        )

    @property
    def hand_in_rows(self) -> list[Row]:
        """When learners handed in."""
        return [each.row() for each in self.handed_in or ()]

    @property
    def extension_rows(self) -> list[Row]:
        """Until when learners may hand in."""
        return [each.row() for each in self.extensions or ()]

    def over(self, earlier: KeptTimes) -> KeptTimes:
        """These, and what was told earlier of what these do not tell."""
        return KeptTimes(
            handed_in=earlier.handed_in if self.handed_in is None else self.handed_in,
            extensions=earlier.extensions if self.extensions is None else self.extensions,
            hints=earlier.hints if self.hints is None else self.hints,
        )


def _told(rows: Sequence[Row] | None) -> tuple[_Told, ...] | None:
    return None if rows is None else tuple(_Told.of(row) for row in rows)


def read_kept_times(out: Path) -> KeptTimes:
    """What OUT has been told; nothing where there is no file. Raises TimesError when it cannot be read."""
    path = out / TIMES
    try:
        return KeptTimes.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return KeptTimes()
    except (OSError, ValidationError):
        raise TimesError(
            f"{path} cannot be read, so nobody knows who was late or opened hints: "
            "remove it, and give --handed-in, --extensions and --hints again."
        ) from None


def write_kept_times(out: Path, times: KeptTimes) -> None:
    """Keep them in OUT, whole or not at all; nothing is written where nothing was told. Raises OSError."""
    path = out / TIMES
    if times == KeptTimes():
        path.unlink(missing_ok=True)
    else:
        write_file(path, [(times.model_dump_json(indent=1) + "\n").encode()], synced=True)
