"""Scaffolds a new exercise's kit: its files, and its entry in course.yml. `kata verify` refuses what is left TODO."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import StrictUndefined, Template

from grader.course import Course, Exercise, Unit
from grader.course.loading import read_source
from grader.course.stubs import make_stub
from grader.files import write_file

TEMPLATES = Path(__file__).parent / "templates"
CLOSING = "\n## Try this\n"


def new_exercise(unit: Unit, id: str, title: str) -> Exercise:
    """A new exercise, numbered after the last one of its unit and requiring that; the rest is as with that one."""
    last = unit.exercises[-1]
    number = max(exercise.number for exercise in unit.exercises) + 1
    written = {"id": id, "number": number, "unit": unit.folder, "title": title, "requires": (last.id,)}
    return last.model_copy(update=written)


def write_scaffold(course: Course, new: Exercise) -> Iterator[Path]:
    """Write the files of a kit and add the exercise to course.yml and the lesson; yield each path.

    Raises FileExistsError, before anything is written, when one of the files exists.
    """
    unit = next(unit for unit in course.units if unit.folder == new.unit)
    solution = _filled("solution.py", new)
    files = {
        course.solution_path(new): solution,
        course.stub_path(new): make_stub(solution),
        course.checks_path(new): _filled("checks.py", new),
        course.mistakes_path(new): _filled("mistakes.py", new),
        course.alternatives_path(new): _filled("alternatives.py", new),
    }
    for path in files:
        if path.exists():
            raise FileExistsError(path)
    catalogue, lesson = course.root / "course.yml", course.lesson_path(unit)
    files[catalogue] = _entered(catalogue, course, unit, _filled("entry.yml", new))
    # before the lesson's closing part, if there is one
    before, closing, after = lesson.read_text("utf-8").partition(CLOSING)
    files[lesson] = before.rstrip("\n") + "\n" + _filled("section.md", new) + closing + after
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=course.root)
        yield path


def _filled(name: str, new: Exercise) -> str:
    """A template with what is known of the new exercise."""
    text = (TEMPLATES / f"{name}.j2").read_text("utf-8")
    return str(Template(text, keep_trailing_newline=True, undefined=StrictUndefined).render(new=new))


def _entered(catalogue: Path, course: Course, unit: Unit, block: str) -> str:
    """The text of course.yml with a block after the last exercise of a unit; everything else is unchanged."""
    places = read_source(catalogue).lines  # line numbers, counted from 1
    here = ("units", course.units.index(unit))
    place = (*here, "exercises", len(unit.exercises) - 1)
    last = places[place]
    lines = catalogue.read_text("utf-8").splitlines(keepends=True)
    # only where units and what follows them begin: what an anchor names lies elsewhere too
    begins = (line for other, line in places.items() if len(other) <= len(here) and line > last)
    end = min(begins, default=len(lines) + 1) - 1
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1  # blank lines and comments belong to what follows
    margin = lines[last - 1][: lines[last - 1].index("-")]
    return "".join([*lines[:end], *(margin + line for line in block.splitlines(keepends=True)), *lines[end:]])
