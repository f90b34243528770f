"""The files of a kit: a new one's templates, its stub, what is missing or unfinished, and what does not fit together.

Each fault is a sentence with its file and line, and with what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jinja2 import StrictUndefined, Template

from grader.course import Course, Exercise, Unit
from grader.course.loading import FILE_NAME, Source
from grader.course.model import did_you_mean
from grader.course.stubs import make_stub, same_as_stub, stub_of
from grader.errors import KataError
from grader.files import write_file
from grader.judge.bank import Mistake, load_bank, written_alternatives
from grader.judge.faults import GraderBroken
from grader.judge.plan import Kit

TEMPLATES = Path(__file__).parent / "templates"
CLOSING = "\n## Try this\n"
LEAST_ALTERNATIVES = 3
LEAST_MISTAKES = 3
TO_WRITE = re.compile(r"\b(?:TODO|FIXME|XXX|TBD)\b")
"""What stands in an unfinished line; in a template's too."""
PARTS = re.compile(r"(?m)^(?=## | *- (?:id|folder): )")
"""Where an exercise's section of a lesson and its entry in course.yml begin."""


# --- a new kit --------------------------------------------------------------------------------------------------------


def new_exercise(unit: Unit, id: str, title: str) -> Exercise:
    """A new exercise, numbered after the last one of its unit and requiring that; the rest is as with that one."""
    last = unit.exercises[-1]
    number = max(exercise.number for exercise in unit.exercises) + 1
    written = {"id": id, "number": number, "unit": unit.folder, "title": title, "requires": (last.id,)}
    return last.model_copy(update=written)


def write_scaffold(course: Course, new: Exercise) -> Iterator[Path]:
    """Write the files of a kit and add the exercise to course.yml and the lesson; yield each path.

    Raises KataError, before anything is written, when one of the files exists.
    """

    def filled(name: str) -> str:
        text = (TEMPLATES / f"{name}.j2").read_text("utf-8")
        return str(Template(text, keep_trailing_newline=True, undefined=StrictUndefined).render(new=new))

    unit = next(unit for unit in course.units if unit.folder == new.unit)
    solution = filled("solution.py")
    files = {
        course.solution_path(new): solution,
        course.stub_path(new): make_stub(solution),
        course.checks_path(new): filled("checks.py"),
        course.mistakes_path(new): filled("mistakes.py"),
        course.alternatives_path(new): filled("alternatives.py"),
    }
    for path in files:
        if path.exists():
            raise KataError(f"{path} is there already.")
    catalogue, lesson = course.root / FILE_NAME, course.lesson_path(unit)
    files[catalogue] = _entered(course, unit, filled("entry.yml"))
    # before the lesson's closing part, if there is one
    before, closing, after = lesson.read_text("utf-8").partition(CLOSING)
    files[lesson] = before.rstrip("\n") + "\n" + filled("section.md") + closing + after
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=course.root)
        yield path


def _entered(course: Course, unit: Unit, block: str) -> str:
    """The text of course.yml with a block after the last exercise of a unit; everything else is unchanged."""
    source, path = Source(), course.root / FILE_NAME
    source.read(path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    start = source.lines["units", course.units.index(unit), "exercises", len(unit.exercises) - 1][1]
    margin = lines[start - 1].partition("-")[0]
    end = start
    for number, line in enumerate(lines[start:], start + 1):
        if line.strip() and not line.startswith(f"{margin} "):
            break
        end = number if line.strip() else end
    return "".join([*lines[:end], *(margin + line for line in block.splitlines(keepends=True)), *lines[end:]])


# --- stubs ------------------------------------------------------------------------------------------------------------


def stale_stub(course: Course, exercise: Exercise) -> list[str]:
    """Report a stub that differs from the one made from the reference solution. Raises CourseError for bad markers."""
    if same_as_stub(course.stub_path(exercise).read_bytes(), stub_of(course, exercise)):
        return []
    return [f"{exercise.id}: the stub is not made from the solution: run `kata verify {exercise.id} --write-stubs`"]


def write_stubs(course: Course, exercises: Iterable[Exercise]) -> list[str]:
    """Make the stubs from the solutions; return the files written. Raises CourseError for bad markers."""
    written = []
    for exercise in exercises:
        solution = course.solution_path(exercise)
        if solution.is_file():
            path = course.stub_path(exercise)
            write_file(path, make_stub(solution.read_text(encoding="utf-8")).encode("utf-8"), below=course.root)
            written.append(named(course, path))
    return written


def named(course: Course, path: Path) -> str:
    """A file as it is called in messages: by its place in the course's folder."""
    return path.relative_to(course.root).as_posix()


# --- what is missing or unfinished ------------------------------------------------------------------------------------


def incomplete(course: Course, exercise: Exercise) -> list[str]:
    """What is missing of an exercise's kit or unfinished there, in its section of the lesson or in course.yml."""
    id, lesson = exercise.id, course.lesson_path(next(unit for unit in course.units if exercise in unit.exercises))
    solution, checks = course.solution_path(exercise), course.checks_path(exercise)
    bank, stub, catalogue = course.mistakes_path(exercise), course.stub_path(exercise), course.root / FILE_NAME
    files = {"reference solution": solution, "hidden checks": checks, "bank of mistakes": bank, "stub": stub}
    absent = {what: path for what, path in files.items() if not path.is_file()}
    problems = [f"{id}: the {what} is missing: write {named(course, path)}" for what, path in absent.items()]
    if len(written_alternatives(course, exercise)) < LEAST_ALTERNATIVES:
        file = named(course, course.alternatives_path(exercise))
        problems.append(f"{id}: write at least {LEAST_ALTERNATIVES} other right answers into {file}")
    if f"`{id}`" not in lesson.read_text("utf-8"):
        problems.append(f"{id}: {named(course, lesson)} has no section that names `{id}`")
    own = re.compile(rf"`{id}`|- id: {id}$", re.MULTILINE)
    for path in filter(Path.is_file, [solution, checks, bank, *course.families_of(checks, bank), catalogue, lesson]):
        parts = PARTS.split(path.read_text("utf-8")) if path in (catalogue, lesson) else [path.read_text("utf-8")]
        first = 1
        for part in parts:
            for number, line in enumerate(part.splitlines(), first):
                if TO_WRITE.search(line) and (len(parts) == 1 or own.search(part)):
                    problems.append(f"{named(course, path)}:{number}: still to write: {line.strip()}")
            first += part.count("\n")
    return problems


# --- what does not fit together ---------------------------------------------------------------------------------------


def misfits(course: Course, exercise: Exercise) -> list[str]:
    """What contradicts the reference or the checks, in a kit whose files all exist."""
    path = course.mistakes_path(exercise)
    try:
        checks = [check.name for check in Kit(course, exercise).checks]
        bank = load_bank(path)
    except GraderBroken as error:
        return [str(error)]
    few = [f"{named(course, path)}: there are {len(bank)} mistakes: write at least {LEAST_MISTAKES}"]
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    ids = [each.id for each in bank]
    wrong = [problem for mistake in bank for problem in _wrong_with(mistake, reference, checks, ids)]
    return [*(few if len(bank) < LEAST_MISTAKES else ()), *wrong]


def _wrong_with(mistake: Mistake, reference: str, checks: Sequence[str], ids: Sequence[str]) -> Iterator[str]:
    where, id = mistake.where, mistake.id
    if not mistake.message.strip():
        yield f"{where}: {id!r} has no message: write what the learner probably did"
    if mistake.caught_by and mistake.caught_by not in checks:
        guess = did_you_mean(mistake.caught_by, checks) or f": there are {', '.join(checks)}"
        yield f"{where}: caught_by={mistake.caught_by!r} of {id!r} is no check of the exercise{guess}"
    if mistake.same_as and mistake.same_as not in ids:
        guess = did_you_mean(mistake.same_as, ids)
        yield f"{where}: same_as={mistake.same_as!r} of {id!r} is no mistake of this bank{guess}"
    try:
        mistake.source_from(reference)
    except GraderBroken as error:
        yield str(error)
