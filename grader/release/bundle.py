"""Makes a learner's bundle and tests it: in it, the reference must pass every check.

A bundle is a folder or a zip; it is written completely or not at all, and the same bundle gives the same bytes.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import FILE_NAME, Course, load_course
from grader.course.stubs import stub_of
from grader.errors import KataError
from grader.files import write_file, write_output
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.judge.trusted import quietly
from grader.practice.making import LESSON_FILES
from grader.practice.solution import sealed
from grader.record import MAX_SEED, ExerciseResult, Record
from grader.zip_writing import zip_of

from .autograder import package_files
from .bundle_texts import bundle_catalogue, readme
from .planning import plans_of

PYTEST_INI = "[pytest]\ntestpaths = exercises\naddopts = --import-mode=importlib\ntimeout = 120\n"
DIGEST_LETTERS = 8
SEEDS = 1
"""Default number of seeds that a bundle has plans for."""


@dataclass(frozen=True)
class Bundle:
    """The files by their path within the bundle, and the number of checks in it."""

    name: str
    files: Mapping[str, bytes]
    checks: int


def fresh_seeds(count: int = SEEDS) -> tuple[int, ...]:
    """Random seeds."""
    return tuple(secrets.randbelow(MAX_SEED + 1) for _ in range(count))


def make_bundle(
    course: Course,
    seeds: Sequence[int],
    *,
    with_solutions: bool = False,
    advance: Callable[[str], None] = lambda exercise: None,
) -> Bundle:
    """Make the bundle of a course, with plans for these seeds; `advance` is called with each planned exercise.

    with_solutions: the reference solutions too, sealed until an exercise is passed.
    Raises KataError when a reference does not pass, GraderBroken for unusable checks or mistakes.
    """
    files = _course_files(course, with_solutions=with_solutions)
    files |= {f"program/{path}": content for path, content in package_files()}  # a learner needs nothing but pip
    for exercise, seed, content in plans_of(course, seeds, advance):
        files[course.plan_path(exercise, seed).relative_to(course.root).as_posix()] = content
    checks = sum(len(result.checks) for result in _tried(course, files, seeds))
    files["README.md"] = readme(course, seeds, checks, with_solutions=with_solutions)
    files = dict(sorted(files.items()))
    return Bundle(_name_of(course, files), files, checks)


def write_files(files: Mapping[str, bytes], root: Path) -> None:
    """Write the files below a folder, which is created if need be."""
    for path, content in files.items():
        write_file(root / path, content, below=root)


def _course_files(course: Course, *, with_solutions: bool) -> dict[str, bytes]:
    files = {FILE_NAME: bundle_catalogue(course), "pytest.ini": PYTEST_INI.encode()}

    def put(path: Path, content: bytes) -> None:
        files[path.relative_to(course.root).as_posix()] = content

    for unit in course.units:
        folder = course.lesson_path(unit).parent
        for path in sorted(found for pattern in LESSON_FILES for found in folder.glob(pattern)):
            put(path, path.read_bytes())
    for path in (course.glossary_path, course.root / "LICENSE"):
        if path.is_file():
            put(path, path.read_bytes())
    for exercise in course.exercises:
        stub = stub_of(course, exercise).encode("utf-8")
        put(course.stub_path(exercise), stub)
        put(course.given_path(exercise), stub)
        put(course.checks_path(exercise), course.checks_path(exercise).read_text(encoding="utf-8").encode("utf-8"))
        if with_solutions:
            put(course.sealed_path(exercise), sealed(course.solution_path(exercise).read_text(encoding="utf-8")))
    return files


def _tried(course: Course, files: Mapping[str, bytes], seeds: Sequence[int]) -> Sequence[ExerciseResult]:
    """What the references come to in the bundle. Raises KataError when one does not pass a check with every seed."""
    references = {
        each.id: SourceFile(each.id, each.file_name, course.solution_path(each).read_bytes())
        for each in course.exercises
    }
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="kata-release-") as folder, quietly():
        write_files(files, Path(folder))
        bundle = load_course(Path(folder) / FILE_NAME)
        judge = Judge(bundle, "none", seeds[0])
        for seed in seeds:
            judge.seed = seed
            judge.grade([Submission("reference", references, ())], records.append)
    for result in (each for record in records for each in record.exercises):
        for check in result.checks:
            worths = {each.name: each.worth for each in judge.kits[result.id].checks}
            needs_the_course = check.outcome == "skipped" and worths[check.name].converses
            if check.outcome != "passed" and not needs_the_course:
                raise KataError(f"{result.id}: the reference does not pass {check.name}: {check.message}")
    return records[0].exercises


def _name_of(course: Course, files: Mapping[str, bytes]) -> str:
    """A folder name that depends on the content: unzipped beside an older bundle, it overwrites no work."""
    title = re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-") or "course"
    version = re.sub(r"[^A-Za-z0-9.]+", "-", course.version).strip("-.")
    digest = hashlib.sha256()
    for path, content in files.items():
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return "-".join(part for part in (title, version, digest.hexdigest()[:DIGEST_LETTERS]) if part)


def refuse_taken(out: Path, *, force: bool) -> None:
    """Raise KataError when writing to `out` would overwrite something."""
    if out.suffix.lower() == ".zip":
        if out.is_dir():
            raise KataError(f"{out} is a folder: name a file for the zip")
        if out.exists() and not force:
            raise KataError(f"{out} is there already: --force writes over it")
    elif out.exists() and not out.is_dir():
        raise KataError(f"{out} is a file: name a folder, or a file that ends in .zip")
    elif out.is_dir() and any(out.iterdir()):
        raise KataError(f"{out} is not empty, and somebody's work may lie there: name a new folder")


def write_bundle(bundle: Bundle, out: Path) -> None:
    """Write a zip if the name ends in .zip, else a folder. Raises OSError."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == ".zip":
        write_output(out, zip_of((f"{bundle.name}/{path}", content) for path, content in bundle.files.items()))
        return
    with tempfile.TemporaryDirectory(prefix=".kata-release-", dir=out.parent) as folder:
        made = Path(folder) / "bundle"
        write_files(bundle.files, made)
        if out.is_dir():
            out.rmdir()  # `refuse_taken` has seen that it is empty
        made.replace(out)
