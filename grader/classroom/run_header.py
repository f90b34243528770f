"""OUT/run.json: the terms of a run (course, level, seed and so on), so that a resumed run uses the same."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader import __version__
from grader.course import Course, Exercise
from grader.errors import KataError
from grader.files import write_file
from grader.record import Isolation
from grader.sandbox.levels import Level

from .course_digest import kit_digests


@dataclass(frozen=True)
class Terms:
    """The settings with which every submission of a class is graded."""

    course: Path
    level: Level
    seed: int
    only: tuple[str, ...] = ()


RUN = "run.json"


class ClassSource(BaseModel):
    """Where the class was, and what decided the rows: a resumed run uses the same."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    submissions: str = Field(description="The folder or zip, as an absolute path.")
    roster: str = Field(default="", description="The roster, as an absolute path; empty where there was none.")
    roster_sha256: str = Field(default="", description="Of who is in the roster.")
    names: str = Field(default="", description="The platform whose names were read.")


class RunHeader(BaseModel):
    """The terms of a run, as stored."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: int = Field(default=1, description="Version of this format.")
    course_title: str
    course_version: str
    course_sha256: str = Field(description="Of the bytes of course.yml.")
    checks_sha256: str = Field(description="Of the hidden checks, reference solutions and known mistakes in use.")
    seed: int
    isolation: Isolation
    only: list[str] = Field(description="The exercises that were chosen; all when empty.")
    versions: dict[str, str] = Field(description="Of the grader and of what its numbers depend on.")
    arguments: dict[str, str] = Field(description="What was asked for, as it was written; for people.")
    catalogue_sha256: str = Field(
        default="", description="Of what course.yml says, but for its policy and extra credit, which grade nothing."
    )
    kits: dict[str, str] = Field(
        default={}, description="Of all that each exercise was graded by, checks and its part of course.yml."
    )
    source: ClassSource | None = Field(
        default=None, description="Where the class lay, and what decided whose is whose."
    )

    def differences(self, now: RunHeader) -> list[str]:
        """What would be graded differently now, each in a few words; empty for the same terms."""
        found = []
        if (self.course_title, self.course_version) != (now.course_title, now.course_version):
            before = f"{self.course_title} {self.course_version}"
            found.append(f"the course was {before} and is {now.course_title} {now.course_version}")
        elif self._is_of_another_course(now):
            found.append("course.yml was changed")
        if self.only != now.only:
            found.append(f"the exercises were {_listed(self.only)} and are {_listed(now.only)}")
        elif self.checks_sha256 != now.checks_sha256:
            found.append(f"the hidden checks, solutions or known mistakes {self._of_which(now)}were changed")
        if self.seed != now.seed:
            found.append(f"the seed was {self.seed} and is {now.seed}")
        if self.isolation != now.isolation:
            found.append(f"the isolation was {self.isolation} and is {now.isolation}")
        for name in sorted(self.versions.keys() | now.versions.keys()):
            before, after = self.versions.get(name, "not there"), now.versions.get(name, "not there")
            if before != after:
                found.append(f"{name} was {before} and is {after}")
        return found

    def changed_kits(self, now: RunHeader) -> list[str]:
        """The exercises whose kit has changed, if it is known for both runs."""
        return [id for id, digest in self.kits.items() if now.kits.get(id, digest) != digest]

    def withdrawn(self, now: RunHeader) -> list[str]:
        """The exercises that the course no longer has, if nothing else has changed; else empty."""
        gone = [id for id in self.kits if id not in now.kits]
        terms = [
            (each.course_title, each.seed, each.isolation, each.versions, sorted(set(each.only) - set(gone)))
            for each in (self, now)
        ]
        is_all = terms[0] == terms[1] and now.kits.keys() <= self.kits.keys() and not self.changed_kits(now)
        return gone if is_all else []

    def _of_which(self, now: RunHeader) -> str:
        changed = self.changed_kits(now)
        return f"of {', '.join(changed)} " if changed else ""

    def _is_of_another_course(self, now: RunHeader) -> bool:
        if self.catalogue_sha256:
            return self.catalogue_sha256 != now.catalogue_sha256
        return self.course_sha256 != now.course_sha256


def header_of(course: Course, terms: Terms, arguments: dict[str, str], source: ClassSource | None = None) -> RunHeader:
    """The header of a new run. Raises OSError when a file of the course cannot be read."""
    chosen = [course.exercise(id) for id in terms.only] or list(course.exercises)
    return RunHeader(
        course_title=course.title,
        course_version=course.version,
        course_sha256=hashlib.sha256(terms.course.read_bytes()).hexdigest(),
        checks_sha256=_sha256(_files(course, chosen), course.root),
        seed=terms.seed,
        isolation=terms.level,
        only=sorted(terms.only),
        versions={
            "attention-kata": __version__,
            "numpy": version("numpy"),
            "python": platform.python_version(),
            "torch": version("torch"),
        },
        arguments=arguments,
        catalogue_sha256=_catalogue_sha256(course),
        kits=kit_digests(course, chosen),
        source=source,
    )


def read_run(out: Path) -> RunHeader | None:
    """The header in OUT; None if there is none. Raises KataError when it cannot be read."""
    path = out / RUN
    try:
        return RunHeader.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise KataError(f"{path} cannot be read, so nobody knows on what terms {out} was graded.") from None


def write_run(out: Path, header: RunHeader) -> None:
    """Write the header, all or nothing. Raises OSError."""
    write_file(out / RUN, [(header.model_dump_json(indent=2) + "\n").encode()])


def _catalogue_sha256(course: Course) -> str:
    graded_by = course.model_dump_json(exclude={"root": True, "policy": True, "units": {"__all__": {"extra_credit"}}})
    return hashlib.sha256(graded_by.encode()).hexdigest()


def _files(course: Course, exercises: list[Exercise]) -> Iterator[Path]:
    for place in (course.checks_path, course.solution_path, course.mistakes_path):
        yield from map(place, exercises)
    yield from course.families()


def _sha256(files: Iterator[Path], root: Path) -> str:
    total = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes() if file.is_file() else b""
        total.update(f"{file.relative_to(root).as_posix()} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def _listed(only: list[str]) -> str:
    return ", ".join(only) or "all"
