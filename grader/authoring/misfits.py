"""Finds contradictions within a kit before grading: each with its file and line, and what to do."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise
from grader.course.errors import did_you_mean
from grader.judge.checks import Kit, collect_checks
from grader.judge.faults import BankError, GraderBroken
from grader.judge.mistakes import Mistake, load_bank
from grader.judge.trusted import TrustedModule

LEAST_MISTAKES = 3
PROMPT = ">>>"
NEGATIVE_ZERO = re.compile(r"-(0\.0*)(?![0-9])")
ONE_OF_MANY = "for instance"
"""In the comment of an example with a random result: it is run, but its output is not compared."""


def misfits(course: Course, exercise: Exercise) -> list[str]:
    """Errors in a kit whose files all exist, one sentence each."""
    checks, problems = _names_of_checks(course, exercise)
    try:
        bank: Sequence[Mistake] = load_bank(course.mistakes_path(exercise))
    except BankError as error:
        return [*problems, str(error)]
    if len(bank) < LEAST_MISTAKES:
        file = course.mistakes_path(exercise).relative_to(course.root).as_posix()
        problems.append(f"{file}: there are {len(bank)} mistakes: write at least {LEAST_MISTAKES}")
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    ids = {mistake.id for mistake in bank}
    for mistake in bank:
        problems += _wrong_with(mistake, reference, checks, ids)
    return [*problems, *wrong_examples(course, exercise)]


def _names_of_checks(course: Course, exercise: Exercise) -> tuple[list[str], list[str]]:
    """The names of the checks; or none, and the error."""
    try:
        return [check.name for check in collect_checks(course, [Kit(course, exercise)])[exercise.id]], []
    except GraderBroken as error:
        return [], [str(error)]


def _wrong_with(mistake: Mistake, reference: str, checks: Sequence[str], ids: Collection[str]) -> Iterator[str]:
    if not mistake.message.strip():
        yield f"{mistake.where}: {mistake.id!r} has no message: write what the learner probably did"
    if checks and mistake.caught_by not in checks:
        guess = did_you_mean(mistake.caught_by, checks) or f": there are {', '.join(checks)}"
        yield f"{mistake.where}: caught_by={mistake.caught_by!r} of {mistake.id!r} is no check of the exercise{guess}"
    if mistake.same_as and mistake.same_as not in ids:
        guess = did_you_mean(mistake.same_as, sorted(ids))
        yield f"{mistake.where}: same_as={mistake.same_as!r} of {mistake.id!r} is no mistake of this bank{guess}"
    try:
        mistake.source_from(reference)
    except BankError as error:
        yield str(error)


# --- the examples that learners read ---------------------------------------------------------------------------------


def wrong_examples(course: Course, exercise: Exercise) -> list[str]:
    """Docstring examples whose output differs from the reference's own, one sentence each."""
    solution = course.solution_path(exercise)
    text = solution.read_text(encoding="utf-8")
    name = solution.relative_to(course.root).as_posix()
    try:
        texts = [(docstring, line) for docstring, line in _docstrings(ast.parse(text)) if PROMPT in docstring]
        if not texts:
            return []
        names = {**_of_others(course, exercise, text), **_names_of(text, solution)}
    except SyntaxError as error:
        return [f"{name}:{error.lineno}: SyntaxError: {error.msg}. Mend that line"]
    except Exception as error:
        return [f"{name}: it cannot be run ({type(error).__name__}: {error}). Mend the file"]
    return [problem for docstring, line in texts for problem in _wrong_in(docstring, name, line, names)]


def _names_of(text: str, path: Path) -> dict[str, Any]:
    return dict(TrustedModule(text, f"reference {path.stem}").namespace)


def _of_others(course: Course, exercise: Exercise, text: str) -> dict[str, Any]:
    """Names from other exercises that examples may use; if two exercises define a name, a required one wins."""
    found: dict[str, Any] = {}
    for other in sorted(course.exercises, key=lambda each: each.id in exercise.requires):
        wanted = [name for name in other.entry_points if name in text and name not in exercise.entry_points]
        path = course.solution_path(other)
        if wanted and path.is_file():
            names = _names_of(path.read_text(encoding="utf-8"), path)
            found.update({name: names[name] for name in wanted if name in names})
    return found


def _wrong_in(docstring: str, file: str, line: int, names: Mapping[str, Any]) -> list[str]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError as error:  # the error says which line of the docstring
        return [f"{file}:{line}: an example cannot be read ({error}). Mend it"]
    runner = _Runner(file, line)
    runner.run(doctest.DocTest(examples, dict(names), file, file, line, docstring), out=lambda _: None)
    return runner.problems


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each docstring as written in the file, and its first line number."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            (first, *_) = node.body
            assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            yield str(first.value.value), first.lineno


class _Spaced(doctest.OutputChecker):
    """Treats outputs as equal that differ only in whitespace, line ends and the sign of a zero."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return _unspaced(want) == _unspaced(got) or super().check_output(want, got, optionflags)


def _unspaced(text: str) -> str:
    return NEGATIVE_ZERO.sub(r"\1", "".join(text.replace(doctest.BLANKLINE_MARKER, "").split()))


class _Runner(doctest.DocTestRunner):
    """Collects a sentence for each example with a different output; `line` is the docstring's first line."""

    def __init__(self, file: str, line: int) -> None:
        super().__init__(checker=_Spaced(), verbose=False, optionflags=doctest.ELLIPSIS)
        self.problems: list[str] = []
        self._file, self._line = file, line

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        """Prints nothing."""

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        if ONE_OF_MANY not in example.source:
            shown, wanted = " ".join(got.split()) or "nothing", " ".join(example.want.split()) or "nothing"
            self._tell(example, f"the example gives {shown}, and not {wanted}: mend one of them")

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        kind, error, _ = exc_info
        self._tell(example, f"the example ends with {kind.__name__}: {error}. Mend it")

    def _tell(self, example: doctest.Example, sentence: str) -> None:
        self.problems.append(f"{self._file}:{self._line + example.lineno}: {sentence}")
