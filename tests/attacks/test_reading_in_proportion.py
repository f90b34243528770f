"""What meets learners' text takes time in proportion to it, whatever the text: no input of a few kB costs minutes.

Growth is measured rather than seconds, so that a slow machine tells the same as a fast one.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.course.stubs import same_as_stub
from grader.errors import printable
from grader.files import UnreadableError, line_field, text_field
from grader.intake import SubmissionError, read_submission
from grader.intake.names import ExerciseNames
from grader.intake.notebook import read_notebook, read_python
from grader.intake.reading import source_in
from grader.judge.checks import _code_lines
from grader.judge.failure import error_text
from grader.judge.questions import Answers, same_answers
from grader.practice.checking import answer_among
from grader.record import CheckResult
from grader.render.safe_text import safe_block, safe_line, visible
from tests.cases import rows, table

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
NAMES = ExerciseNames(COURSE)
SOFTMAX = COURSE.exercise("softmax")

SIZES = (500, 2_000, 8_000)

AT_MOST_TIMES = 9.0
"""Four times the text takes four times as long; sixteen times where each character is compared with each."""
WORTH_MEASURING = 0.02
"""Seconds; below, a machine's moods are larger than what is measured."""
FAR_TOO_LONG = 1.0
"""Seconds; a larger size would only keep us waiting."""

TABLES = table(__file__, "proportion.yml")
AROUND = (("", ""), ("# exercise:", " a b"), ("def f():\n x = ", "\n="))


def texts() -> Iterator[Callable[[int], str]]:
    """Texts of any size: a piece over and over, after and before something else."""
    for (beginning, end), piece in product(AROUND, TABLES["pieces"]):
        yield partial(_text, beginning, piece, end)


def _text(beginning: str, piece: str, end: str, size: int) -> str:
    return beginning + (piece * (size // len(piece) + 1))[:size] + end


def demand_proportion(
    read: Callable[[Any], object], make: Callable[[int], Any], sizes: tuple[int, ...] = SIZES
) -> None:
    """Read texts of growing size, and fail when the time grows faster than they do."""
    before = 0.0
    for size in sizes:
        text = make(size)
        took = _seconds(read, text)
        if before and took > max(AT_MOST_TIMES * before, WORTH_MEASURING):
            # once more, as the machine may have been busy with something else
            took, before = _seconds(read, text), max(before, _seconds(read, make(size // 4)))
            assert took <= max(AT_MOST_TIMES * before, WORTH_MEASURING), f"{took:.3f} s after {before:.3f} s: {make}"
        assert before or took <= FAR_TOO_LONG, f"{took:.1f} s for the smallest: {make}"
        if took > FAR_TOO_LONG:
            return
        before = took


def _seconds(read: Callable[[Any], object], text: Any) -> float:
    began = time.thread_time()
    with suppress(UnreadableError, SubmissionError):
        read(text)
    return time.thread_time() - began


def notebook(*sources: str, **metadata: object) -> bytes:
    """A notebook with these code cells."""
    cells = [{"cell_type": "code", "metadata": metadata, "source": text} for text in sources]
    return json.dumps({"cells": cells}).encode()


def an_error(text: str, **others: Any) -> dict[str, Any]:
    return {"kind": "exception", "type": "RuntimeError", "message": text, "frames": [(1, "f")], "step": 0, **others}


def told(text: str, **others: Any) -> str:
    """What is said of an error with this text, or of another one, in a file with this text."""
    return error_text(an_error(text, **others), text.splitlines(), "", hide_numbers=True)


def executed(text: str) -> object:
    return answer_among([(1, text), (2, f"# {SOFTMAX.file_name}\nx")], SOFTMAX, COURSE)


READERS: Mapping[str, Callable[[str], object]] = {
    "what a first line names": lambda text: NAMES.by_text(text, frozenset()),
    "statements of a cell": lambda text: read_python(text),
    "what is a source": lambda text: source_in(text.encode(), 1024),
    "the stub again": lambda text: same_as_stub(text.encode(), "a = 1\n"),
    "a notebook's cell": lambda text: read_notebook(notebook(text, "# 03_softmax.py\nx"), NAMES),
    "a notebook that is no JSON": lambda text: read_notebook(text.encode(), NAMES),
    "cells that were run": executed,
    "a file's name": lambda text: (NAMES.by_stem(text), NAMES.by_saved_file(f"{text}.py"), printable(text)),
    "code lines of a repair": _code_lines,
    "an error's text": told,
    "names in a file": lambda text: told(text, kind="no_entry", name="softmax", message=""),
    "errors that are the same": lambda text: same_answers(
        Answers({}, an_error(text)), Answers({}, an_error(f"{text}1"))
    ),
    "text to show": visible,
    "a line to show": safe_line,
    "lines to show": lambda text: safe_block(text, 12),
    "a field of a table": text_field,
    "a line of a table": line_field,
    "a message in a record": lambda text: CheckResult(
        name="a", title="A", outcome="failed", points=0.0, max_points=1.0, visible=False, message=text
    ),
}


@pytest.mark.thorough
@rows(READERS, "read")
def test_text_is_read_in_proportion(read: Callable[[str], object]) -> None:
    for make in texts():
        demand_proportion(read, make)


ANSWERS = json.dumps([{"cell_type": "code", "source": f"# {each.file_name}\nx"} for each in COURSE.exercises])[1:-1]


@rows(TABLES["notebooks"], "before", "piece", "letters", "after")
def test_notebooks_are_read_in_proportion(before: str, piece: str, letters: int, after: str) -> None:
    def make(size: int) -> bytes:
        pieces = (piece.replace("<n>", str(n)).replace("<n+1>", str(n + 1)) for n in range(size // letters))
        return "".join([before, *pieces, after.replace("ANSWERS", ANSWERS)]).encode()

    demand_proportion(lambda content: read_notebook(content, NAMES), make)


ARCHIVES: Mapping[str, Callable[[int], list[str]]] = {
    "courses": lambda size: [name for i in range(size // 80) for name in (f"{i}/course.yml", f"{i}/exercises/a.py")],
    "workspaces": lambda size: [name for i in range(size // 80) for name in (f"{i}/review/a", f"{i}/exercises/a.py")],
    "environments": lambda size: [name for i in range(size // 80) for name in (f"{i}/pyvenv.cfg", f"{i}x/a.py")],
    "long names": lambda size: [f"{i}{'0' * size}.py" for i in range(4)],
    "numbers in names": lambda size: [f"{'0_' * (size // 2)}{i}.py" for i in range(4)],
    "folders in folders": lambda size: [f"{'a/' * (size // 2)}{i}.py" for i in range(4)],
    "reviews in reviews": lambda size: [f"{'review/' * (size // 8)}{i}.py" for i in range(4)],
}


@rows(ARCHIVES, "names")
def test_archives_are_read_in_proportion(names: Callable[[int], list[str]], tmp_path: Path) -> None:
    def pack(size: int) -> Path:
        path = tmp_path / f"{size}.zip"
        with zipfile.ZipFile(path, "w") as packed:
            for name in names(size):
                packed.writestr(name, "x")
        return path

    demand_proportion(lambda path: read_submission(path, COURSE), pack)


# What follows looks for patterns that nobody thought of here.

BEHIND_THE_WALL = "grader/sandbox/inside/"
"""What runs in a learner's own process, under its limits."""

DEAR = {"re", "difflib", "tokenize", "ast", "html.parser", "textwrap", "fnmatch"}
DEAR |= {"compile()", "eval()", "exec()", "literal_eval()"}


def uses_something_dear(tree: ast.AST) -> bool:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(f"{node.func.id}()")
    return not DEAR.isdisjoint(found)


def tree_of(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text("utf-8"))


def test_every_module_with_patterns_or_parsers_says_whose_text_they_meet() -> None:
    modules = [path.relative_to(ROOT).as_posix() for path in (ROOT / "grader").rglob("*.py")]
    found = [name for name in modules if not name.startswith(BEHIND_THE_WALL) and uses_something_dear(tree_of(name))]
    assert sorted(found) == sorted([*TABLES["on_learners_text"], *TABLES["on_other_text"]])


METHODS = {"match", "fullmatch", "search", "sub", "split", "findall", "finditer"}


def patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from patterns_in(each)


def patterns_of(name: str) -> Iterator[tuple[re.Pattern[Any], str]]:
    """The patterns of a module, each with the way in which it is used; one used in no plain way is tried as `sub`."""
    module = importlib.import_module(name.removesuffix(".py").replace("/", "."))
    ways: dict[str, set[str]] = {}
    for node in ast.walk(tree_of(name)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
            continue
        on = node.func.value.value if isinstance(node.func.value, ast.Subscript) else node.func.value
        if not isinstance(on, ast.Name):
            continue
        if on.id == "re":
            text = eval(compile(ast.Expression(node.args[0]), name, "eval"), vars(module))
            flags = {each.arg: each.value for each in node.keywords}.get("flags")
            yield re.compile(text, re.MULTILINE if flags is not None else 0), node.func.attr
        else:
            ways.setdefault(on.id, set()).add(node.func.attr)
    for variable, value in vars(module).items():
        for pattern in patterns_in(value):
            for way in sorted(ways.get(variable, {"sub"})):
                yield pattern, way


ALL_PATTERNS = [
    pytest.param(pattern, way, id=f"{Path(name).stem}-{number}-{way}")
    for name in sorted(TABLES["on_learners_text"])
    for number, (pattern, way) in enumerate(patterns_of(name))
]


@pytest.mark.parametrize(("pattern", "way"), ALL_PATTERNS)
def test_no_pattern_goes_back_over_learners_text(pattern: re.Pattern[Any], way: str) -> None:
    def use(text: str) -> None:
        fitting: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
        nothing: Any = b"" if isinstance(pattern.pattern, bytes) else ""
        given = (nothing, fitting) if way == "sub" else (fitting,)
        found = getattr(pattern, way)(*given)
        if way == "finditer":
            list(found)

    for make in texts():
        demand_proportion(use, make)


WENT_BACK = {
    "comment": (re.compile(r"#+[ \t]*(exercise[ \t]*:)?[ \t]*(\S+)[ \t]*\Z").match, partial(_text, "", "#", " a b")),
    "decimals": (re.compile(r"[-+]?\d*\.\d+").findall, partial(_text, "", "1", "")),
}
"""As they were written here once."""


@rows(WENT_BACK, "read", "make")
def test_patterns_that_went_back_are_told_from_those_that_do_not(
    read: Callable[[str], object], make: Callable[[int], str]
) -> None:
    with pytest.raises(AssertionError, match="s after"):
        demand_proportion(read, make)
