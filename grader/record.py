"""The result record of one graded submission. Every report and export only reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from grader.errors import KataError

VERSION: Literal[1] = 1
# A seed must survive JSON readers that keep numbers as doubles, else a submission cannot be graded again with it.
MAX_SEED = 2**53 - 1
POINTS_TOLERANCE = 1e-6
Outcome = Literal["passed", "failed", "error", "skipped"]
Status = Literal["passed", "failed", "partly", "error", "not_started", "missing"]
Isolation = Literal["full", "reduced", "process", "none"]
AdjustmentKind = Literal["late", "set by hand", "extra credit", "not counted"]
ProblemKind = Literal["duplicate", "unknown", "unreadable", "refused", "renamed"]

_STEERING = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Control characters (C0 and C1), uncommon line ends, and characters that change the writing direction."""
_SPELT_OUT = {code: chr(code).encode("unicode_escape").decode("ascii") for code in _STEERING if chr(code) not in "\n\t"}
_IN_JSON = {code: f"\\u{code:04x}" for code in _STEERING if code > 0x20}


def _without_lone_surrogates(value: Any) -> Any:
    """Make text encodable as UTF-8: learners' text may contain lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def inert(value: Any) -> Any:
    """Escape characters that could control a terminal: \\x1b for an escape. Line feeds and tabs stay."""
    value = _without_lone_surrogates(value)
    return value.translate(_SPELT_OUT) if isinstance(value, str) else value


def _positive_zero(value: float) -> float:
    return value + 0.0  # -0.0 becomes 0.0, so that equal records are equal to the byte


Text = Annotated[str, BeforeValidator(inert)]
Name = Annotated[str, BeforeValidator(_without_lone_surrogates), Field(min_length=1)]
NonNegative = Annotated[float, Field(ge=0), AfterValidator(_positive_zero)]
Change = Annotated[float, AfterValidator(_positive_zero)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class CheckResult(_Part):
    """What one hidden check found."""

    name: Name = Field(description="The check's name, unique within its exercise.")
    title: Text = Field(description="The sentence a learner sees: what right work does.")
    outcome: Outcome = Field(description="error is the grader's own fault, never the learner's.")
    points: NonNegative = Field(description="Points earned; more than 0 only when the outcome is passed.")
    max_points: NonNegative = Field(description="Points this check is worth.")
    visible: bool = Field(description="Whether learners were given this check's source.")
    message: Text = Field(description="Why it did not pass, for the learner; may quote the learner's own text.")

    @model_validator(mode="after")
    def _points_are_earned(self) -> CheckResult:
        _demand(
            f"check {self.name!r}",
            {
                "has more points than its max_points": self.points <= self.max_points + POINTS_TOLERANCE,
                "has points but did not pass": not self.points or self.outcome == "passed",
            },
        )
        return self


class Diagnosis(_Part):
    """A known mistake that gives the same wrong values as the learner's code."""

    mistake: Name = Field(description="The known mistake's name in the exercise's bank.")
    message: Text = Field(description="What the mistake is, in words for the learner.")


class CourseStamp(_Part):
    """The course the submission was graded against."""

    title: Text = Field(description="The course's title.")
    version: Text = Field(description="The course's version.")
    digest: str = Field(default="", description="SHA-256 of all that its exercises are graded by; absent when unknown.")


class ExerciseResult(_Part):
    """What one exercise of a submission came to."""

    id: Name = Field(description="The exercise's id in course.yml.")
    status: Status = Field(
        description="missing: no file; not_started: the stub as given; error: the grader's fault, so no mark; partly: "
        "what ran held, but some checks only run when the work is handed in (in a course without answers only)."
    )
    points: NonNegative = Field(description="The sum of the checks' points.")
    max_points: NonNegative = Field(description="Points the exercise is worth.")
    checks: tuple[CheckResult, ...] = Field(description="In the order in which they ran.")
    diagnosis: tuple[Diagnosis, ...] = Field(description="Likeliest first; empty when no known mistake fits.")
    seconds: NonNegative = Field(description="Wall time; the only field that differs between equal runs.")
    final_points: NonNegative | None = Field(default=None, description="The points after the course's policy.")
    final_max_points: NonNegative | None = Field(
        default=None, description="What it adds to the maximum: 0 for extra credit, else max_points."
    )
    uncounted: bool = Field(
        default=False,
        description="Whether it counts neither in points nor in the maximum: exempt, withdrawn, or of a dropped unit.",
    )

    @property
    def counted_points(self) -> float:
        """The points that count: final ones if a policy was applied."""
        return self.points if self.final_points is None else self.final_points

    @property
    def counted_max_points(self) -> float:
        """The contribution to the maximum that counts."""
        return self.max_points if self.final_max_points is None else self.final_max_points

    @model_validator(mode="after")
    def _is_consistent(self) -> ExerciseResult:
        outcomes = {check.outcome for check in self.checks}
        worth = math.fsum(check.max_points for check in self.checks)
        # A passed debug task may have a failed check: its "small repair" gives points but is not behaviour.
        fits = {
            "passed": "passed" in outcomes,
            "failed": bool(outcomes - {"passed"}),
            "partly": "skipped" in outcomes,
            "error": True,
        }.get(self.status, not (outcomes - {"skipped"} or self.diagnosis))
        is_known = self.status in ("passed", "failed")
        _demand(
            f"exercise {self.id!r}",
            {
                "has two checks of one name": _are_different([check.name for check in self.checks]),
                "has other points than its checks": _same(self.points, math.fsum(each.points for each in self.checks)),
                "has another max_points than its checks": _same(self.max_points, worth)
                or (not is_known and worth < self.max_points),
                f"is {self.status} although its checks are not": fits,
                f"is {self.status} although a check is an error": self.status == "error" or "error" not in outcomes,
            },
        )
        return self


class Problem(_Part):
    """Something in the submission that could not be taken as an exercise's file, or not under its own name."""

    file: Text = Field(description="The file as it is named in the submission.")
    kind: ProblemKind = Field(
        description="duplicate: a second file for one exercise; unknown: no exercise of that name; "
        "unreadable: not readable as text; refused: against the rules for submissions, such as a link; "
        "renamed: it was taken, although it is not called quite as it should be."
    )
    message: Text = Field(description="What is wrong, in one sentence.")
    exercise: str | None = Field(default=None, description="The id of the exercise that it is about, if that is known.")


class Adjustment(_Part):
    """What the course's policy made of one unit's points, and why."""

    unit: Name = Field(description="The unit's folder in course.yml.")
    points: Change = Field(description="What was added to the unit's points; negative when points were taken off.")
    kind: AdjustmentKind = Field(description="What changed the points.")
    reason: Text = Field(description="Why, in a sentence for learner and instructor.")


class Record(_Part):
    """One graded submission."""

    version: Literal[1] = Field(description="Version of this format.")
    submission: Name = Field(description="The submission's name: its folder's, zip's or file's.")
    isolation: Isolation = Field(description="How the learner's code was walled off; a grade wants full or reduced.")
    seed: int = Field(
        ge=0, le=MAX_SEED, description="The seed of the hidden inputs; give it again for the same record."
    )
    course: CourseStamp
    points: NonNegative = Field(description="The sum of the exercises' points.")
    max_points: NonNegative = Field(description="The sum of the exercises' max_points.")
    complete: bool = Field(description="False when an exercise has status error: then points are not a mark.")
    exercises: tuple[ExerciseResult, ...] = Field(description="In course order.")
    problems: tuple[Problem, ...] = Field(description="What the intake could not take, or took under another name.")
    digest: str = Field(
        default="", description="SHA-256 of what was graded, in a class; when it is the same, so is the record."
    )
    final_points: NonNegative | None = Field(
        default=None, description="The points after the course's policy; absent when none was applied."
    )
    final_max_points: NonNegative | None = Field(
        default=None, description="The max_points without extra credit, which counts on top."
    )
    adjustments: tuple[Adjustment, ...] | None = Field(
        default=None, description="What the policy changed, and why; final_points is points and these together."
    )

    @classmethod
    def from_json(cls, text: str | bytes) -> Record:
        """Parse a record. Raises KataError when it is invalid."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first, *rest = error.errors(include_url=False, include_input=False)
            where = ascii(".".join(map(str, first["loc"])))[1:-1]
            more = f" (and {len(rest)} more)" if rest else ""
            fault = first["msg"].removeprefix("Value error, ")
            what = f"{where}: {fault}" if where else fault
            raise KataError(f"This is not a result record: {what}{more}.") from None

    def to_json(self) -> str:
        """The record as one line of JSON; equal records give the same bytes."""
        told = self.model_dump(exclude_defaults=True)  # those have none but what a policy and a class add
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # JSON allows these unescaped, also in names; but some could control a terminal, or end a line of a .jsonl file.
        return text.translate(_IN_JSON)

    @property
    def not_taken(self) -> list[Problem]:
        """Problems with files that were not taken."""
        return [problem for problem in self.problems if problem.kind != "renamed"]

    @property
    def is_empty(self) -> bool:
        """Whether no exercise was found in the submission."""
        return all(exercise.status == "missing" for exercise in self.exercises)

    @property
    def why_unreadable(self) -> str:
        """Why nothing in the submission could be read; "" when something could."""
        reasons = (problem.message for problem in self.problems if problem.kind in ("unreadable", "refused"))
        return next(reasons, "") if self.is_empty else ""

    @property
    def is_adjusted(self) -> bool:
        """Whether a policy was applied, so that there are final points."""
        return self.final_points is not None

    @property
    def counted_points(self) -> float:
        """The points that count: final ones if a policy was applied."""
        return self.points if self.final_points is None else self.final_points

    @property
    def counted_max_points(self) -> float:
        """The maximum that counts; extra credit may lift the points above it."""
        return self.max_points if self.final_max_points is None else self.final_max_points

    @model_validator(mode="after")
    def _is_consistent(self) -> Record:
        explained = None
        if self.adjustments is not None:
            explained = self.points + math.fsum(each.points for each in self.adjustments)
        whole = totals(self.exercises)
        _demand(
            "the record",
            {
                "has an exercise twice": _are_different([each.id for each in self.exercises]),
                **{
                    f"has other {field} than its exercises": _same(getattr(self, field), whole[field])
                    for field in whole
                },
                "has final_points of some exercises": len({each.final_points is None for each in self.exercises}) < 2,
                "has other final_points than its adjustments make": _same(self.final_points, explained),
            },
        )
        return self


def totals(exercises: Sequence[ExerciseResult]) -> dict[str, Any]:
    """What exercises come to together, as fields of a record; final points are None where no exercise has them."""
    final = [each.final_points for each in exercises if each.final_points is not None]
    final_max = [each.final_max_points for each in exercises if each.final_max_points is not None]
    return {
        "points": _total(each.points for each in exercises),
        "max_points": _total(each.max_points for each in exercises),
        "complete": all(each.status != "error" for each in exercises),
        "final_points": _total(final) if final else None,
        "final_max_points": _total(final_max) if final_max else None,
    }


def not_graded(exercise: str, max_points: float, reason: str) -> ExerciseResult:
    """The result of an exercise at which the grader failed. reason: a sentence; learners may see it."""
    check = CheckResult(
        name="grading",
        title="The grader grades what was handed in.",
        outcome="error",
        points=0.0,
        max_points=0.0,
        visible=False,
        message=f"The grader failed here; that is its own fault, not the learner's. {reason}",
    )
    return ExerciseResult(
        id=exercise, status="error", points=0.0, max_points=max_points, checks=(check,), diagnosis=(), seconds=0.0
    )


def _total(points: Iterable[float]) -> float:
    return round(math.fsum(points), 6)  # so that 0.1 + 0.2 is 0.3 in a record


def _demand(whose: str, rules: Mapping[str, bool]) -> None:
    """Raise ValueError with the first of these faults whose rule does not hold."""
    for fault, holds in rules.items():
        if not holds:
            raise ValueError(f"{whose} {fault}")


def _same(left: float | None, right: float | None) -> bool:
    return left == right or (left is not None and right is not None and abs(left - right) <= POINTS_TOLERANCE)


def _are_different(names: Sequence[str]) -> bool:
    return len(set(names)) == len(names)


# --- beside the record: what a visible check can show, in no file -----------------------------------------------------

Plane = tuple[tuple[float, ...], ...]
"""Rows of numbers; may contain NaN and infinities."""


@dataclass(frozen=True)
class Mismatch:
    """One plane of a wrong tensor, cut to a size that a person can take in."""

    what: str
    """What it is part of, as the beginning of a sentence: "The output"."""
    axes: tuple[str, ...]
    """Names of the last two axes (rows, columns), of the columns only for a single row, or empty without names."""
    came: Plane
    expected: Plane
    wrong: tuple[tuple[bool, ...], ...]
    note: str
    """Sentences: which part of the tensor this is, and where it is wrong."""
    start: tuple[int, int] = (0, 0)
    """Indices of the first row and the first column in the whole tensor."""


Shown = Callable[[str, str, str, Mismatch], None]
"""Called with the names of submission, exercise and check, and the check's mismatch."""

Mismatches = Mapping[tuple[str, str], Mismatch]
"""Mismatches by exercise and check."""
