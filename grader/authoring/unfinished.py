"""Finds the unfinished parts of an exercise's kit: placeholders of the scaffold, or a TODO."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from grader.course import Course, Exercise
from grader.course.source import Place, read_source

from .scaffold import PLACEHOLDERS

MARK = re.compile(r"\b(?:TODO|FIXME|XXX|TBD)\b")
TO_WRITE = {
    "solutions": "what goes in, what comes out and a worked number",
    "checks": "what the check looks at",
    "mistakes": "what the learner probably did and what to look at",
    "course.yml": "what a learner should read",
    "exercises": "the idea, the formula, the shapes and a number worked by hand",
}
"""What the author should write instead, by part of the kit."""


def unfinished(course: Course, exercise: Exercise) -> list[str]:
    """A sentence for each unfinished place of the kit: its file and line, and what to write."""
    return [
        *_in_file(course, course.solution_path(exercise), "solutions"),
        *_in_file(course, course.checks_path(exercise), "checks"),
        *_without_sentence(course, course.checks_path(exercise)),
        *_in_file(course, course.mistakes_path(exercise), "mistakes"),
        *(found for path in _families(course, exercise) for found in _in_file(course, path, "mistakes")),
        *_in_catalogue(course, exercise),
        *_in_lesson(course, exercise),
    ]


def _families(course: Course, exercise: Exercise) -> list[Path]:
    """The families of mistakes that the exercise's bank names."""
    bank = course.mistakes_path(exercise)
    text = bank.read_text(encoding="utf-8") if bank.is_file() else ""
    return [path for path in course.families() if f'from_family("{path.stem}"' in text]


def _in_file(course: Course, path: Path, kind: str) -> Iterator[str]:
    if path.is_file():
        name = path.relative_to(course.root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (_to_write(name, number, found, kind) for number, found in _found(lines))


def _found(lines: list[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """The number of each unfinished line, and the text that shows it."""
    for number, line in enumerate(lines, first):
        placeholder = next((each for each in PLACEHOLDERS if each in line), "")
        mark = MARK.search(line)
        if placeholder or mark:
            yield number, placeholder or (mark.group() if mark else "")


def _to_write(name: str, line: int, found: str, kind: str) -> str:
    return f"{name}:{line}: {found!r} still stands there: write {TO_WRITE[kind]}"


def _without_sentence(course: Course, path: Path) -> Iterator[str]:
    """Checks without a docstring, which learners would read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # reported where it is run
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node):
            name = path.relative_to(course.root).as_posix()
            yield f"{name}:{node.lineno}: {node.name} has no docstring: write the sentence that a learner reads"


def _in_catalogue(course: Course, exercise: Exercise) -> Iterator[str]:
    places = read_source(course.root / "course.yml")
    units = [unit.folder for unit in course.units]
    unit = units.index(exercise.unit)
    here = ("units", unit, "exercises", course.units[unit].exercises.index(exercise))
    texts: list[tuple[Place, str]] = [((*here, "title"), exercise.title), ((*here, "step"), exercise.step)]
    texts += [((*here, "hints", number), hint) for number, hint in enumerate(exercise.hints)]
    for entry, text in texts:
        for _, found in _found([text]):
            yield _to_write("course.yml", places.line(entry), found, "course.yml")


def _in_lesson(course: Course, exercise: Exercise) -> Iterator[str]:
    """Unfinished lines in the section of the unit's lesson that names the exercise."""
    unit = next(unit for unit in course.units if exercise in unit.exercises)
    lesson = course.lesson_path(unit)
    if not lesson.is_file():
        return
    name, lines = lesson.relative_to(course.root).as_posix(), lesson.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("## ")] or [0]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if any(f"`{exercise.id}`" in line for line in lines[start:end]):
            for number, found in _found(lines[start:end], start + 1):
                yield _to_write(name, number, found, "exercises")
