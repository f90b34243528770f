"""What is in a learner's bundle, gathered and proved: in it all ends as it does with the reference at hand."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.autograders.bundle import package_files
from grader.course import FILE_NAME, Course, load_course
from grader.exports.errors import ExportError
from grader.judge.collection import Worth
from grader.judge.hidden import HiddenCheck, hidden_as_bytes
from grader.practice.workspace import LESSON_FILES
from grader.stubs import StubError, stub_of
from grader.writing import write_file

from .catalogue import bundle_catalogue
from .errors import ReleaseError
from .readme import readme
from .recording import first_refusal, sit, trials, worths_of
from .visible import visible_part

PYTEST_INI = "[pytest]\ntestpaths = exercises\naddopts = --import-mode=importlib\ntimeout = 120\n"
DIGEST_LETTERS = 8


@dataclass(frozen=True)
class Bundle:
    """The files by their path within the bundle, and how many checks they hold and name."""

    name: str
    files: Mapping[str, bytes]
    visible: int
    hidden: int


def make_bundle(course: Course, say: Callable[[str], None] = lambda step: None) -> Bundle:
    """Gather the bundle of a course; `say` hears of each step.

    Raises ReleaseError when the course is not fit for it, GraderBroken for checks or mistakes that can't be used.
    """
    if course.is_bundle:
        raise ReleaseError("this is a learner's bundle already: make bundles from the whole course")
    say("Reading the checks")
    worths = worths_of(course)
    visible = sum(worth.visible for checks in worths.values() for worth in checks.values())
    hidden = sum(map(len, worths.values())) - visible
    files = {
        **_course_files(course, worths),
        **_program_files(),
        "README.md": readme(course, visible=visible, hidden=hidden),
    }
    with tempfile.TemporaryDirectory(prefix="kata-release-") as folder:
        root = Path(folder)
        write_files(files, root)
        say("Writing down what the visible checks ask and expect")
        files.update(_recorded(course, root))
    files = dict(sorted(files.items()))
    return Bundle(_name_of(course, files), files, visible, hidden)


def write_files(files: Mapping[str, bytes], root: Path) -> None:
    """Write the files below a folder, which is made if need be."""
    for path, content in files.items():
        write_file(root / path, content, below=root)


def _course_files(course: Course, worths: Mapping[str, Mapping[str, Worth]]) -> dict[str, bytes]:
    files = {FILE_NAME: bundle_catalogue(course.root / FILE_NAME), "pytest.ini": PYTEST_INI.encode()}

    def put(path: Path, content: bytes) -> None:
        files[path.relative_to(course.root).as_posix()] = content

    for unit in course.units:
        folder = course.lesson_path(unit).parent
        for path in sorted(found for pattern in LESSON_FILES for found in folder.glob(pattern)):
            put(path, path.read_bytes())
    for exercise in course.exercises:
        try:
            stub = stub_of(course, exercise).encode("utf-8")
        except StubError as error:
            raise ReleaseError(f"{exercise.id}: the solution's markers do not fit: {error}") from None
        put(course.stub_path(exercise), stub)
        put(course.given_path(exercise), stub)
        checks = course.checks_path(exercise)
        put(checks, visible_part(checks.read_text(encoding="utf-8"), checks.name).encode("utf-8"))
        put(course.hidden_path(exercise), hidden_as_bytes(_hidden_of(worths[exercise.id])))
    if (course.root / "LICENSE").is_file():
        put(course.root / "LICENSE", (course.root / "LICENSE").read_bytes())
    return files


def _program_files() -> dict[str, bytes]:
    """The commands: with them a learner needs nothing but pip."""
    try:
        return {f"program/{path}": content for path, content in package_files()}
    except ExportError as error:
        raise ReleaseError(str(error)) from None


def _hidden_of(worths: Mapping[str, Worth]) -> tuple[HiddenCheck, ...]:
    return tuple(
        HiddenCheck(name=name, title=worth.title, points=worth.points, role=worth.role)
        for name, worth in worths.items()
        if not worth.visible
    )


def _recorded(course: Course, root: Path) -> dict[str, bytes]:
    """What was written down for each exercise, proved in the bundle at `root`: there all ends as it did here."""
    bundle = load_course(root / FILE_NAME)
    submissions = trials(course)
    due, numbers = sit(bundle, submissions, course)
    if refusal := first_refusal(due[0]):
        raise ReleaseError(f"{refusal} (when hidden checks are taken away)")
    paths = [bundle.numbers_path(each).relative_to(root).as_posix() for each in bundle.exercises]
    files = dict(zip(paths, numbers, strict=True))
    write_files(files, root)
    found, _ = sit(bundle, submissions)
    for here, there in zip(due, found, strict=True):
        for one, other in zip(here, there, strict=True):
            if one != other:
                id, check, outcome, message = other
                raise ReleaseError(f"{id}: in the bundle {check} would not end as in the course: {outcome} {message}")
    return files


def _name_of(course: Course, files: Mapping[str, bytes]) -> str:
    """A name of its own for each content: unzipped beside an older bundle, it lies on top of nobody's work."""
    title = re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-") or "course"
    version = re.sub(r"[^A-Za-z0-9.]+", "-", course.version).strip("-.")
    digest = hashlib.sha256()
    for path, content in files.items():
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return "-".join(part for part in (title, version, digest.hexdigest()[:DIGEST_LETTERS]) if part)
