"""A learner's progress, in one small file that two terminals may change at the same time."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, ValidationError

from grader.errors import KataError
from grader.files import lock_at, move_file, write_file

LOCK_SECONDS = 20
CLOCK = "KATA_NOW"
EARLIEST, LATEST = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in (1971, 9000))
"""Windows has no local time before, and close to a datetime's limits the next day may not exist."""
Moment = Annotated[AwareDatetime, Field(ge=EARLIEST, lt=LATEST), AfterValidator(lambda at: at.astimezone(timezone.utc))]
TriedStatus = Literal["passed", "failed", "partly"]
Points = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]


class AttemptEntry(BaseModel):
    """One graded attempt at an exercise.

    digest: of the file's content. failed: titles of failed checks. mistakes: known mistakes found, with their messages.
    "partly": all checks that could be run passed.
    """

    at: Moment
    status: TriedStatus
    points: Points
    max_points: Points
    digest: str
    kind: Literal["practice", "review"] = "practice"
    failed: list[str] = Field(default_factory=list)
    mistakes: dict[str, str] = Field(default_factory=dict)


class HintEntry(BaseModel):
    """A hint that was shown: its level from 1 on, or its mistake; `attempts`: the number of attempts before it."""

    at: Moment
    text: str = ""
    level: int = 0
    mistake: str = ""
    attempts: int = 0


class ReviewEntry(BaseModel):
    """A review: when it was handed out; `attempts` and `hints`: their numbers before it."""

    at: Moment
    attempts: int = 0
    hints: int = 0


class ExerciseProgress(BaseModel):
    """One exercise: attempts, hints and reviews in order, when it was first passed, when its solution was shown."""

    attempts: list[AttemptEntry] = Field(default_factory=list)
    hints: list[HintEntry] = Field(default_factory=list)
    passed_at: Moment | None = None
    skipped: bool = False
    solution_seen_at: list[Moment] = Field(default_factory=list)
    reviews: list[ReviewEntry] = Field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        """Whether it was passed at least once."""
        return self.passed_at is not None

    @property
    def holds_so_far(self) -> bool:
        """Whether it was never passed, and at the last attempt all checks that could be run passed."""
        return not self.is_passed and bool(self.attempts) and self.attempts[-1].status == "partly"

    @property
    def best(self) -> float:
        """The most points of any attempt."""
        return max((attempt.points for attempt in self.attempts), default=0.0)

    @property
    def open_review(self) -> ReviewEntry | None:
        """The review that is handed out and not passed yet."""
        last = self.reviews[-1] if self.reviews else None
        return None if last is None or any(each.status == "passed" for each in self.tries_of(last)) else last

    def tries_of(self, review: ReviewEntry | None = None) -> list[AttemptEntry]:
        """The attempts at a review, or before any of them, up to the one that passed."""
        begun = self.attempts[review.attempts if review else 0 :]
        tried = [attempt for attempt in begun if attempt.kind == "review" or review is None]
        passes = (number for number, attempt in enumerate(tried, start=1) if attempt.status == "passed")
        return tried[: next(passes, len(tried))]

    def note(self, attempt: AttemptEntry) -> bool:
        """Add an attempt, unless it is the same file with the same result as before. Returns whether it was added.

        In a review an unchanged file counts as an attempt, too.
        """
        review = self.open_review if attempt.kind == "review" else None
        for last in self.attempts[review.attempts if review else 0 :][-1:]:
            if (last.digest, last.status, last.kind) == (attempt.digest, attempt.status, attempt.kind):
                return False
        self.attempts.append(attempt)
        if attempt.status == "passed" and self.passed_at is None:
            self.passed_at = attempt.at
        return True


class Progress(BaseModel):
    """All exercises with progress, by id."""

    version: Literal[1] = 1
    exercises: dict[str, ExerciseProgress] = Field(default_factory=dict)

    def of(self, id: str) -> ExerciseProgress:
        """The progress of one exercise; creates an empty entry if there is none."""
        return self.exercises.setdefault(id, ExerciseProgress())


class ProgressFile:
    """The progress file in a workspace's `.kata` folder. A damaged one is moved away, and KataError says so, once."""

    def __init__(self, state: Path) -> None:
        self.path = state / "progress.json"
        self._root = state.parent

    def read(self) -> Progress:
        """Read the progress. Raises OSError, KataError."""
        if not self.path.exists():
            return Progress()
        with self._locked() as progress:
            return progress

    @contextlib.contextmanager
    def change(self) -> Iterator[Progress]:
        """Read, let the caller change, and write, under a lock. Raises OSError, KataError."""
        with self._locked() as progress:
            yield progress
            text = progress.model_dump_json(exclude_defaults=True, indent=1)
            write_file(self.path, text.encode("utf-8"), below=self._root)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Progress]:
        """What the file holds, as long as no other process changes it."""
        with lock_at(self.path.with_name("progress.lock"), below=self._root, seconds=LOCK_SECONDS):
            try:
                content = self.path.read_bytes().removeprefix(codecs.BOM_UTF8)
                progress = Progress.model_validate_json(content)
            except FileNotFoundError:
                progress = Progress()
            except ValidationError:
                aside = free_path(self.path.parent, "progress.damaged-", ".json")
                move_file(self.path, aside, below=self._root)
                said = f"The progress file was damaged and is now {aside}. `kata check` fills it again from your files."
                raise KataError(said) from None
            yield progress


def free_path(folder: Path, begin: str, end: str) -> Path:
    """A path in a folder at which nothing is yet, with the current time in its name."""
    stamp = now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    number, path = 1, folder / f"{begin}{stamp}{end}"
    while os.path.lexists(path):
        number, path = number + 1, folder / f"{begin}{stamp}_{number}{end}"
    return path


def digest_of(content: bytes) -> str:
    """The digest of a file's content."""
    return hashlib.sha256(content).hexdigest()[:12]


def now() -> datetime:
    """The current time. Tests can set it with the variable KATA_NOW."""
    told = os.environ.get(CLOCK)
    time = datetime.fromisoformat(told).astimezone(timezone.utc) if told else datetime.now(timezone.utc)
    return time.replace(microsecond=0)
