"""Collects the course as a grader needs it, and this package, as files to install on another machine.

The course is complete, with solutions and hidden checks: what is made of this is never for learners.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import grader
from grader.course import FILE_NAME, Course
from grader.course.installed import CARRIED
from grader.course.part import catalogue_of

PROJECT = "attention-kata"
_LEFT_OUT = {"__pycache__", CARRIED}
_HIDDEN = "."

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = {name}
version = {version}
requires-python = {python}
dependencies = {dependencies}

[project.scripts]
kata = "grader.cli:main"

[project.entry-points.pytest11]
kata = "grader.pytest_plugin"

[tool.setuptools.packages.find]
include = ["grader*"]

[tool.setuptools.package-data]
"*" = ["*"]
"""


def course_files(course: Course) -> Iterator[tuple[str, bytes]]:
    """Every file that grading reads, with its path in the course. Raises OSError when one cannot be read."""
    yield FILE_NAME, catalogue_of(course)
    for exercise in course.exercises:
        for path in (
            course.stub_path(exercise),
            course.solution_path(exercise),
            course.checks_path(exercise),
            course.mistakes_path(exercise),
        ):
            yield path.relative_to(course.root).as_posix(), path.read_bytes()
    for path in course.families():
        yield path.relative_to(course.root).as_posix(), path.read_bytes()


def package_files() -> Iterator[tuple[str, bytes]]:
    """This package in a form that pip can install, whether it runs from a clone or was installed itself.

    Sources, and no wheel: no installation keeps the wheel it came from, and to build one takes a clone, setuptools and
    the making of the learner's bundle, which grading has no use for; pip makes the same of these files.
    """
    folder = Path(grader.__file__).parent
    yield "pyproject.toml", _pyproject().encode()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder.parent)
        if path.is_file() and _LEFT_OUT.isdisjoint(inside.parts) and not path.name.startswith(_HIDDEN):
            yield inside.as_posix(), path.read_bytes()
    license = folder.parent / "LICENSE"
    if license.is_file():
        yield license.name, license.read_bytes()


def _pyproject() -> str:
    """A pyproject.toml with only what is needed to run; JSON strings are valid TOML strings."""
    installed = distribution(PROJECT)
    needed = [each for each in installed.requires or () if "extra ==" not in each]
    return _PYPROJECT.format(
        name=json.dumps(PROJECT),
        version=json.dumps(installed.version),
        python=json.dumps(installed.metadata["Requires-Python"]),
        dependencies=json.dumps(needed, indent=4),
    )
