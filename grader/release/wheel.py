"""What goes out: the files of a course, and this program as a wheel, a zip that pip installs, with a course or without.

Follows "Binary distribution format" of packaging.python.org. The same files give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

import grader
from grader.course import FILE_NAME, Course
from grader.course.installed import CARRIED
from grader.course.model import catalogue_of
from grader.course.stubs import stub_of
from grader.files import zip_of
from grader.practice.workspace import LESSON_FILES

PROJECT = "attention-kata"
DIGEST_LETTERS = 8
_IN_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Of a digest: a version strips the zeros in front of a number."""
_VERSION = re.compile("^Version: .*$", re.MULTILINE)
_HIDDEN = "."
_LEFT_OUT = {"__pycache__", CARRIED}
_WHEEL = "Wheel-Version: 1.0\nGenerator: attention-kata\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def course_files(course: Course, planned_seed: int | None = None) -> dict[str, bytes]:
    """The files by their path in the course, with a course.yml of these exercises only.

    planned_seed: leave out solutions, known mistakes and alternatives; plans for this seed are to take their place.
    Raises CourseError for a solution of which no stub can be made, OSError when a file cannot be read.
    """
    whole = planned_seed is None
    files = {FILE_NAME: catalogue_of(course if whole else course.model_copy(update={"planned_seed": planned_seed}))}

    def put(*paths: Path) -> None:
        files.update({path.relative_to(course.root).as_posix(): path.read_bytes() for path in paths if path.is_file()})

    for unit in course.units:
        folder = course.lesson_path(unit).parent
        put(*(path for pattern in LESSON_FILES for path in folder.glob(pattern)))
    checks = [course.checks_path(exercise) for exercise in course.exercises]
    put(course.glossary_path, course.root / "LICENSE", *(course.families() if whole else course.families_of(*checks)))
    for exercise in course.exercises:
        put(course.checks_path(exercise))
        if whole:
            put(course.solution_path(exercise), course.mistakes_path(exercise), course.alternatives_path(exercise))
        files[course.stub_path(exercise).relative_to(course.root).as_posix()] = stub_of(course, exercise).encode()
    return files


def wheel_of(course: Mapping[str, bytes] | None = None, kind: str = "") -> tuple[str, bytes]:
    """The wheel's file name and its content.

    course: the files that it carries. kind: "answers" or "plans"; the version ends in it and a digest of everything, so
    that pip installs one wheel over another.
    Raises PackageNotFoundError where the program was not installed, OSError.
    """
    files = dict(_package_files())
    files |= {f"{grader.__name__}/{CARRIED}/{path}": content for path, content in (course or {}).items()}
    told = distribution(PROJECT)
    metadata = _VERSION.sub("Version: NEXT", told.read_text("METADATA") or "", count=1)
    digest = hashlib.sha256((_listed(files) + metadata).encode()).hexdigest().translate(_IN_LETTERS)
    version = f"{grader.__version__}+{kind}.{digest[:DIGEST_LETTERS]}" if kind else grader.__version__
    info = f"{PROJECT.replace('-', '_')}-{version}"
    about = {
        "METADATA": metadata.replace("Version: NEXT", f"Version: {version}", 1),
        "WHEEL": _WHEEL,
        "entry_points.txt": told.read_text("entry_points.txt") or "",
        "licenses/LICENSE": told.read_text("licenses/LICENSE") or "",
    }
    files |= {f"{info}.dist-info/{name}": text.encode() for name, text in about.items()}
    record = f"{info}.dist-info/RECORD"
    files[record] = f"{_listed(files)}{record},,\n".encode()
    return f"{info}-py3-none-any.whl", zip_of(files.items())


def _package_files() -> Iterator[tuple[str, bytes]]:
    """This package without a course, whether it runs from a clone or was installed from a wheel."""
    folder = Path(grader.__file__).parent
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder.parent)
        if path.is_file() and _LEFT_OUT.isdisjoint(inside.parts) and not path.name.startswith(_HIDDEN):
            yield inside.as_posix(), path.read_bytes()


def _listed(files: Mapping[str, bytes]) -> str:
    """The list of the files with their digests, by which pip installs and removes them."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join(lines)
