"""The gate before grading: is a kit complete, and does what its files say of each other fit?

Each fault is a sentence with its file and line, and with what to do. The examples that learners read in an exercise's
docstrings are run: each gives what it says.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.course import Course, CourseError, Exercise
from grader.course.loading import read_source
from grader.course.model import did_you_mean
from grader.course.stubs import make_stub, same_as_stub, stub_of
from grader.files import write_file
from grader.judge.bank import Mistake, load_alternatives, load_bank
from grader.judge.checks import Kit
from grader.judge.expected import TrustedModule
from grader.judge.faults import GraderBroken

LEAST_ALTERNATIVES = 3
LEAST_MISTAKES = 3
TO_WRITE = re.compile(r"\b(?:TODO|FIXME|XXX|TBD)\b")
"""What stands in an unfinished line; in a scaffold's too."""


Lines = list[tuple[int, str]]
"""Lines of a file, with their numbers."""


def incomplete(course: Course, exercise: Exercise) -> list[str]:
    """The parts of an exercise's kit that are missing or unfinished."""
    id, lesson = exercise.id, course.lesson_path(next(unit for unit in course.units if exercise in unit.exercises))
    checks, bank, solution = (
        course.checks_path(exercise),
        course.mistakes_path(exercise),
        course.solution_path(exercise),
    )
    files = {
        "the reference solution": solution,
        "the hidden checks": checks,
        "the bank of mistakes": bank,
        "the stub": course.stub_path(exercise),
    }
    problems = [
        f"{id}: {what} is missing: write {_named(course, path)}" for what, path in files.items() if not path.is_file()
    ]
    if len(load_alternatives(course, exercise)) < LEAST_ALTERNATIVES:
        file = _named(course, course.alternatives_path(exercise))
        problems.append(f"{id}: write at least {LEAST_ALTERNATIVES} other right answers into {file}")
    sections = [each for each in _sections(_lines(lesson)) if any(f"`{id}`" in line for _, line in each)]
    if not sections:
        problems.append(f"{id}: {_named(course, lesson)} has no section that names `{id}`")
    bank_text = bank.read_text("utf-8") if bank.is_file() else ""
    taken = [each for each in course.families() if re.search(rf"\b{each.stem}\.\w+\(", bank_text)]
    for path in (solution, checks, bank, *taken):
        problems += _to_write(course, path, _lines(path))
    problems += _without_sentence(course, checks)
    problems += _to_write(course, course.root / "course.yml", _entry(course, exercise))
    return problems + [each for section in sections for each in _to_write(course, lesson, section)]


def _lines(path: Path) -> Lines:
    return list(enumerate(path.read_text("utf-8").splitlines(), 1)) if path.is_file() else []


def _sections(lines: Lines) -> list[Lines]:
    """The sections of a lesson; the whole if it has none."""
    starts = [place for place, (_, line) in enumerate(lines) if line.startswith("## ")] or [0]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _entry(course: Course, exercise: Exercise) -> Lines:
    """The lines of course.yml from an exercise's entry to the next one's."""
    path = course.root / "course.yml"
    unit = next(place for place, each in enumerate(course.units) if exercise in each.exercises)
    here = ("units", unit, "exercises", course.units[unit].exercises.index(exercise))
    numbers = [line for place, line in read_source(path).lines.items() if place[: len(here)] == here]
    return _lines(path)[min(numbers) - 1 : max(numbers)]


def _to_write(course: Course, path: Path, lines: Lines) -> list[str]:
    place = _named(course, path)
    return [f"{place}:{number}: still to write: {line.strip()}" for number, line in lines if TO_WRITE.search(line)]


def _without_sentence(course: Course, path: Path) -> list[str]:
    """Checks without a docstring, which learners would read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # reported where it is run
        return []
    return [
        f"{_named(course, path)}:{node.lineno}: {node.name} has no docstring: write the sentence that a learner reads"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]


def misfits(course: Course, exercise: Exercise) -> list[str]:
    """What contradicts the reference or the checks, in a kit whose files all exist."""
    checks: list[str] = []
    problems: list[str] = []
    try:
        checks = [check.name for check in Kit(course, exercise).checks]
    except GraderBroken as error:
        problems.append(str(error))
    try:
        bank: Sequence[Mistake] = load_bank(course.mistakes_path(exercise))
    except GraderBroken as error:
        return [*problems, str(error)]
    if len(bank) < LEAST_MISTAKES:
        file = _named(course, course.mistakes_path(exercise))
        problems.append(f"{file}: there are {len(bank)} mistakes: write at least {LEAST_MISTAKES}")
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    for mistake in bank:
        problems += _wrong_with(mistake, reference, checks, sorted(each.id for each in bank))
    return [*problems, *wrong_examples(course, exercise)]


def _wrong_with(mistake: Mistake, reference: str, checks: Sequence[str], ids: Sequence[str]) -> Iterator[str]:
    if not mistake.message.strip():
        yield f"{mistake.where}: {mistake.id!r} has no message: write what the learner probably did"
    if checks and mistake.caught_by and mistake.caught_by not in checks:
        guess = did_you_mean(mistake.caught_by, checks) or f": there are {', '.join(checks)}"
        yield f"{mistake.where}: caught_by={mistake.caught_by!r} of {mistake.id!r} is no check of the exercise{guess}"
    if mistake.same_as and mistake.same_as not in ids:
        guess = did_you_mean(mistake.same_as, ids)
        yield f"{mistake.where}: same_as={mistake.same_as!r} of {mistake.id!r} is no mistake of this bank{guess}"
    try:
        mistake.source_from(reference)
    except GraderBroken as error:
        yield str(error)


def stale_stub(course: Course, exercise: Exercise) -> list[str]:
    """Report a stub that differs from the one made from the reference solution."""
    try:
        stub = stub_of(course, exercise)
    except CourseError as error:
        return [f"{exercise.id}: the solution's markers do not fit: {error}"]
    if not same_as_stub(course.stub_path(exercise).read_bytes(), stub):
        return [f"{exercise.id}: the stub is not made from the solution: run `kata verify {exercise.id} --write-stubs`"]
    return []


def write_stubs(course: Course, exercises: Iterable[Exercise]) -> list[str]:
    """Make the stubs from the solutions; return the files written. Raises CourseError for bad markers."""
    written = []
    for exercise in exercises:
        solution = course.solution_path(exercise)
        if solution.is_file():
            path = course.stub_path(exercise)
            write_file(path, make_stub(solution.read_text(encoding="utf-8")).encode("utf-8"), below=course.root)
            written.append(_named(course, path))
    return written


def _named(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()


# --- examples in docstrings -------------------------------------------------------------------------------------------

PROMPT = ">>>"
NEGATIVE_ZERO = re.compile(r"-(0\.0*)(?![0-9])")
ONE_OF_MANY = "for instance"
"""In the comment of an example with a random result: it is run, but its output is not compared."""


def wrong_examples(course: Course, exercise: Exercise) -> list[str]:
    """Docstring examples whose output differs from the reference's own, one sentence each."""
    solution = course.solution_path(exercise)
    text, name = solution.read_text(encoding="utf-8"), _named(course, solution)
    try:
        texts = [(docstring, line) for docstring, line in _docstrings(ast.parse(text)) if PROMPT in docstring]
        if not texts:
            return []
        names = {**_of_others(course, exercise, text), **TrustedModule(text, f"reference {solution.stem}").namespace}
    except SyntaxError as error:
        return [f"{name}:{error.lineno}: SyntaxError: {error.msg}. Mend that line"]
    except Exception as error:
        return [f"{name}: it cannot be run ({type(error).__name__}: {error}). Mend the file"]
    runner = _Runner(checker=_Spaced(), verbose=False, optionflags=doctest.ELLIPSIS)
    for docstring, line in texts:
        try:
            examples = doctest.DocTestParser().get_examples(docstring)
        except ValueError as error:  # the error says which line of the docstring
            runner.problems.append(f"{name}:{line}: an example cannot be read ({error}). Mend it")
            continue
        runner.run(doctest.DocTest(examples, dict(names), name, name, line, docstring), out=lambda _: None)
    return runner.problems


def _of_others(course: Course, exercise: Exercise, text: str) -> dict[str, Any]:
    """Names from other exercises that examples may use; if two exercises define a name, a required one wins."""
    found: dict[str, Any] = {}
    for other in sorted(course.exercises, key=lambda each: each.id in exercise.requires):
        wanted = [name for name in other.entry_points if name in text and name not in exercise.entry_points]
        path = course.solution_path(other)
        if wanted and path.is_file():
            names = TrustedModule(path.read_text(encoding="utf-8"), f"reference {path.stem}").namespace
            found.update({name: names[name] for name in wanted if name in names})
    return found


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each docstring as written in the file, and its first line number."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield text, node.body[0].lineno


class _Spaced(doctest.OutputChecker):
    """Treats outputs as equal that differ only in whitespace, line ends and the sign of a zero."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        texts = ("".join(text.replace(doctest.BLANKLINE_MARKER, "").split()) for text in (want, got))
        one, other = (NEGATIVE_ZERO.sub(r"\1", text) for text in texts)
        return one == other or super().check_output(want, got, optionflags)


class _Runner(doctest.DocTestRunner):
    """Collects a sentence for each example with a different output. A test's `lineno` is its docstring's first line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.problems: list[str] = []

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        """Prints nothing."""

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        if ONE_OF_MANY not in example.source:
            shown, wanted = (" ".join(each.split()) or "nothing" for each in (got, example.want))
            self._report(test, example, f"gives {shown}, and not {wanted}: mend one of them")

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        kind, error, _ = exc_info
        self._report(test, example, f"ends with {kind.__name__}: {error}. Mend it")

    def _report(self, test: doctest.DocTest, example: doctest.Example, what: str) -> None:
        self.problems.append(f"{test.filename}:{(test.lineno or 0) + example.lineno}: the example {what}")
