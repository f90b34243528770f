"""The model of a course, and of part of one: units, exercises, limits and policy, with constraints on their values.

And its error, with how sentences name what is wrong; and moments as an instructor writes them.
"""

from __future__ import annotations

import difflib
import re
import secrets
from collections.abc import Collection, Iterable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from grader.errors import KataError, printable
from grader.record import MAX_SEED

FAMILIES = "families"
"""Name of the folder beside the units' kits, with what several kits share: parts of checks, and known mistakes."""
_IMPORTED = re.compile(rf"^[ \t]*from {FAMILIES}(?:\.\w+| import [^(\n]*(?:\([^)]*\))?)", re.MULTILINE)


class CourseError(KataError):
    """The course cannot be used as asked; the text is for people, one problem a line."""


def quoted(text: object) -> str:
    """The text between backticks, on one line, shortened if it is long."""
    return f"`{printable(str(text), 60)}`"


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """ ": did you mean `softmax`?", or "" when no choice is similar."""
    close = difflib.get_close_matches(str(word)[:100], list(choices), n=2)
    return f": did you mean {' or '.join(map(quoted, close))}?" if close else ""


# --- moments ----------------------------------------------------------------------------------------------------------

EXAMPLE = "2026-03-01 12:00"
_WRITTEN = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,6})?(?: ?(Z|UTC|[+-]\d\d:?[0-5]\d))?", re.ASCII
)
_YEARS = range(1970, 9001)  # far from where adding durations would overflow


def read_moment(text: str) -> datetime | None:
    """Parse a moment such as `2026-03-01 12:00` or `2026-03-01T12:00+01:00`; None for other text.

    The result has a time zone only if the text gives one.
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    date, time, offset = found.groups()
    try:
        moment = datetime.fromisoformat(f"{date} {time}")
        zone = datetime.strptime(offset.replace("UTC", "Z"), "%z").tzinfo if offset else None
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if moment.year in _YEARS else None


def placed(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """The moment in its own time zone, else in `zone`; None when it has neither."""
    return moment if moment.tzinfo else moment.replace(tzinfo=zone) if zone else None


def _moment(text: object) -> datetime:
    if moment := read_moment(str(text)):
        return moment
    raise ValueError(f"must be a date and a time such as `{EXAMPLE}`")


# --- constraints on values --------------------------------------------------------------------------------------------


def _filled(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    if entries:
        return entries
    raise ValueError("must hold at least one entry")


Text = Annotated[str, Field(pattern=r"\S")]
Title = Annotated[str, Field(pattern=r"^.*\S.*$")]
"""On one line."""
PythonName = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]
OperatorName = Annotated[str, Field(pattern="^[a-z_]+::[A-Za-z0-9_]+$")]
Percent = Annotated[float, Field(ge=0, le=100)]
Amount = Annotated[float, Field(gt=0, le=1_000_000)]
Count = Annotated[int, Field(gt=0, le=1_000_000)]
Moment = Annotated[datetime, BeforeValidator(_moment)]
_Filled = AfterValidator(_filled)


# --- the course -------------------------------------------------------------------------------------------------------


class Model(BaseModel):
    """Common settings of all parts of a course."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(Model):
    """Resource limits of one exercise of a learner's.

    seconds: of processor time, for one answer and for the exercise; three times as many may pass meanwhile.
    reply_mb: of all its answers together.
    """

    request_seconds: Amount = 5.0
    seconds: Amount = 12.0
    memory_mb: Count = 2048
    source_kb: Count = 1024
    reply_mb: Count = 64


class Forbidden(Model):
    """Library calls that an exercise forbids, because they are what it asks for."""

    calls: tuple[PythonName, ...] = ()
    operators: tuple[OperatorName, ...] = ()
    reason: Text


class Exercise(Model):
    """One exercise; the loader fills in `unit` and adds the course's limits to `limits`.

    `fast_track`: part of the short selection for learners in a hurry. `hints`: from vague to almost-code.
    """

    id: str = Field(pattern="^[a-z][a-z0-9_]{0,59}$")
    number: int = Field(ge=1, le=99)
    unit: str = Field("", exclude=True)
    kind: Literal["implement", "debug"]
    title: Title
    points: float = Field(gt=0, le=1000)
    requires: tuple[str, ...] = ()
    fast_track: bool = False
    document: str
    step: Title
    entry_points: Annotated[tuple[PythonName, ...], _Filled]
    forbidden: Forbidden | None = None
    limits: Limits = Limits()
    hints: tuple[Text, Text, Text]

    @property
    def stem(self) -> str:
        """The file name without its extension: `03_softmax`."""
        return f"{self.number:02d}_{self.id}"

    @property
    def file_name(self) -> str:
        """The learner's file: `03_softmax.py`."""
        return f"{self.stem}.py"

    @property
    def relative_path(self) -> str:
        """The path within exercises/ and each of its mirrors: `01_soft_lookup/03_softmax.py`."""
        return f"{self.unit}/{self.file_name}"


class Unit(Model):
    """A folder of exercises with a lesson.

    `extra_credit`: its points are added on top, and are not part of the maximum.
    """

    folder: str = Field(pattern="^[0-9]{2}_[a-z][a-z0-9_]{0,56}$")
    title: Title
    extra_credit: bool = False
    exercises: Annotated[tuple[Exercise, ...], _Filled]

    def is_called(self, name: str) -> bool:
        """Whether a person means this unit: by its folder, or by the number with which that begins."""
        return self.folder == name.rstrip("/") or self.folder[:2] == name.zfill(2)


def _means(name: str, unit: Unit, exercise: Exercise) -> bool:
    """Whether a person may mean this exercise; it is not called by its id."""
    folder, _, own = name.removesuffix(".py").rpartition("/")
    if folder and not unit.is_called(folder):
        return False
    known = (exercise.id, exercise.stem, exercise.title.casefold())
    return own.casefold() in known or own.zfill(2) == exercise.stem[:2]


class Policy(Model):
    """The instructor's rules for marks.

    `due`: when a unit is due; a time without its own distance from UTC is in `time_zone`. Per started day of lateness
    `late_percent_per_day` of a unit's points are taken off, together `late_percent_at_most`; nothing up to
    `grace_minutes` after the unit was due.

    `exempt`: exercises that count for nobody. `drop_lowest_units`: so many units of each learner do not count.
    """

    time_zone: ZoneInfo | None = None
    due: dict[str, Moment] = {}
    late_percent_per_day: Percent = 0.0
    late_percent_at_most: Percent = 100.0
    grace_minutes: int = Field(0, ge=0, le=7 * 24 * 60)
    exempt: tuple[str, ...] = ()
    drop_lowest_units: int = Field(0, ge=0, le=10)


class Course(Model):
    """The whole course, and where its files are.

    `documents`: the texts that the course follows, each with title, author and language.
    `planned_seed`: the seed of the plans that a course without answers has in their place; None for a whole course.
    `submission_seconds`: of processor time for all exercises of one submission together.
    """

    title: Title
    version: Title
    planned_seed: int | None = Field(None, ge=0)
    documents: dict[str, dict[str, Title]]
    limits: Limits = Limits()
    submission_seconds: Amount = 100.0
    policy: Policy = Policy()
    units: Annotated[tuple[Unit, ...], _Filled]
    root: Path = Field(Path(), exclude=True)

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises in course order."""
        return tuple(exercise for unit in self.units for exercise in unit.exercises)

    @property
    def titles(self) -> dict[str, str]:
        """Each exercise's title by its id."""
        return {exercise.id: exercise.title for exercise in self.exercises}

    @property
    def headings(self) -> list[tuple[str, list[str]]]:
        """Each unit's title with its exercises' ids, as reports head their parts."""
        return [(unit.title, [exercise.id for exercise in unit.exercises]) for unit in self.units]

    def exercise(self, name: str) -> Exercise:
        """The exercise that a person means: by its id, file or title, or as `1/3` by its unit's number and its own.

        Raises CourseError when it is none, with similar ids, or several, as a number alone may be.
        """
        meant = [(unit, each) for unit in self.units for each in unit.exercises if each.id == name]
        meant = meant or [(unit, each) for unit in self.units for each in unit.exercises if _means(name, unit, each)]
        if len(meant) == 1:
            return meant[0][1]
        if meant:
            them = ", ".join(f"{int(unit.folder[:2])}/{each.number} is {quoted(each.id)}" for unit, each in meant)
            raise CourseError(f"{quoted(name)} could be several exercises: {them}")
        near = did_you_mean(name, self.titles) or did_you_mean(name, self.titles.values())
        raise CourseError(f"there is no exercise {quoted(name)}{near}")

    @property
    def has_answers(self) -> bool:
        """Whether solutions and known mistakes are at hand, and not only plans."""
        return self.planned_seed is None

    def seed_for(self, given: int | None = None) -> int:
        """The seed of a run: the given one or a random one; without answers that of the plans.

        Raises KataError for one that no record can hold, or that there are no plans of.
        """
        if given is not None and not (isinstance(given, int) and 0 <= given <= MAX_SEED):  # a notebook sends anything
            raise KataError(f"The seed must be a whole number from 0 to {MAX_SEED}.")
        if self.planned_seed is None:
            return secrets.randbelow(MAX_SEED + 1) if given is None else given
        if given not in (None, self.planned_seed):
            raise KataError(f"this course has no plans for the seed {given}; it has them for {self.planned_seed}")
        return self.planned_seed

    def stub_path(self, exercise: Exercise) -> Path:
        """The file that a learner edits."""
        return self.root / "exercises" / exercise.relative_path

    def solution_path(self, exercise: Exercise) -> Path:
        """The reference solution, from which the stub is made."""
        return self.root / "solutions" / exercise.relative_path

    def kit_path(self, exercise: Exercise) -> Path:
        """The folder of an exercise's checks, known mistakes and alternatives."""
        return self.root / "tests" / "kits" / exercise.unit / exercise.stem

    def checks_path(self, exercise: Exercise) -> Path:
        """The hidden checks."""
        return self.kit_path(exercise) / "checks.py"

    def mistakes_path(self, exercise: Exercise) -> Path:
        """The known mistakes."""
        return self.kit_path(exercise) / "mistakes.py"

    def alternatives_path(self, exercise: Exercise) -> Path:
        """The right answers that are written differently."""
        return self.kit_path(exercise) / "alternatives.py"

    def families(self) -> list[Path]:
        """The files of what several kits share."""
        return sorted((self.root / "tests" / "kits" / FAMILIES).glob("*.py"))

    def families_of(self, *files: Path) -> list[Path]:
        """Those that these files of kits import with `from families import …`, and those that they import in turn.

        Raises OSError.
        """
        known = {path.stem: path for path in self.families()}
        taken: set[Path] = set()
        looked_at = [path for path in files if path.is_file()]
        while looked_at:
            imports = " ".join(_IMPORTED.findall(looked_at.pop().read_text(encoding="utf-8")))
            new = {known[name] for name in re.findall(r"\w+", imports) if name in known} - taken
            taken |= new
            looked_at += new
        return sorted(taken)

    def plan_path(self, exercise: Exercise) -> Path:
        """The plan of an exercise, in a course without answers."""
        return self.root / "plans" / exercise.unit / f"{exercise.stem}.plan"

    @property
    def glossary_path(self) -> Path:
        """The page to which lessons link for the documents' terms; not every course has one."""
        return self.root / "docs" / "glossary.md"

    def lesson_path(self, unit: Unit) -> Path:
        """The unit's lesson."""
        return self.root / "exercises" / unit.folder / "README.md"


def part_of(course: Course, ids: Collection[str]) -> Course:
    """The course with only these exercises and their units; requirements on others are dropped."""

    def kept(unit: Unit) -> tuple[Exercise, ...]:
        return tuple(
            each.model_copy(update={"requires": tuple(id for id in each.requires if id in ids)})
            for each in unit.exercises
            if each.id in ids
        )

    units = tuple(unit.model_copy(update={"exercises": kept(unit)}) for unit in course.units if kept(unit))
    folders = {unit.folder for unit in units}
    due = {folder: moment for folder, moment in course.policy.due.items() if folder in folders}
    exempt = tuple(id for id in course.policy.exempt if id in ids)
    policy = course.policy.model_copy(update={"due": due, "exempt": exempt})
    return course.model_copy(update={"units": units, "policy": policy})


def catalogue_of(course: Course) -> bytes:
    """A course.yml for this course, or this part of one. It has none of its author's comments."""
    data = course.model_dump(mode="json", exclude={"limits"}, exclude_defaults=True)  # each exercise has its own
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False).encode()
