"""Runs the examples that learners read in an exercise's docstrings: each gives what it says."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise
from grader.judge.expected import TrustedModule

PROMPT = ">>>"
NEGATIVE_ZERO = re.compile(r"-(0\.0*)(?![0-9])")
ONE_OF_MANY = "for instance"
"""In the comment of an example with a random result: it is run, but its output is not compared."""


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
