"""Imports run one way, as docs/architecture.md draws it; a name means one thing."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "grader"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
MOST_ON_THE_WAY = 25


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(module: str, statements: Iterator[ast.AST]) -> set[str]:
    """The modules of ours that are named by import statements; a name in a module counts as that module."""
    found = set()
    package = module.split(".") if MODULES[module].name == "__init__.py" else module.split(".")[:-1]
    for statement in statements:
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            above = package[: len(package) - statement.level + 1] if statement.level else []
            origin = ".".join([*above, *([statement.module] if statement.module else [])])
            whole = {f"{origin}.{alias.name}" for alias in statement.names}
            found |= {each if each in MODULES else origin for each in whole}
    return {each for each in found if each in MODULES} - {module}


def everywhere(module: str) -> set[str]:
    """What it imports anywhere, in functions and for types as well."""
    return imported(module, ast.walk(ast.parse(MODULES[module].read_text("utf-8"))))


def at_once(module: str) -> set[str]:
    """What it imports when it is imported itself."""
    return imported(module, iter(ast.parse(MODULES[module].read_text("utf-8")).body))


def drawn_order() -> list[str]:
    """The folders and files of the package from the bottom up, as the table of the page has them."""
    table = ARCHITECTURE.read_text("utf-8").partition("| folder | one thought |")[2]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return [name.removesuffix(".py") for row in rows for name in re.findall(r"`([\w.]+)`", row)]


def layer(module: str) -> str:
    return module.split(".")[1]


INNER = [module for module in MODULES if module not in ("grader", "grader.__main__")]


def test_the_page_names_every_folder_and_module_at_the_top() -> None:
    order = drawn_order()
    assert sorted(order) == sorted({layer(module) for module in INNER})


def test_every_file_that_the_page_names_is_there() -> None:
    folder, missing = "", []
    for name in re.findall(r"`((?:[\w-]+/)*\w+\.py)`", ARCHITECTURE.read_text("utf-8")):
        folder = name.rpartition("/")[0] or folder
        places = [PACKAGE / name, PACKAGE / folder / name, PACKAGE / "service" / name]
        missing += [] if any(place.is_file() for place in places) else [name]
    assert not missing


def test_a_submissions_way_is_25_files_at_most() -> None:
    way = ARCHITECTURE.read_text("utf-8").partition("in which a submission travels")[2].partition("Beside that way")[0]
    named = re.findall(r"`(?:[\w-]+/)*(\w+\.py)`", way)
    assert 20 <= len(named) <= MOST_ON_THE_WAY
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("module", INNER, ids=INNER)
def test_imports_go_down_only(module: str) -> None:
    order = drawn_order()
    allowed = set(order[: order.index(layer(module)) + 1])
    upwards = {other for other in everywhere(module) if other in INNER and layer(other) not in allowed}
    assert not upwards, f"{module} is below {sorted(upwards)} in docs/architecture.md"


def test_no_module_imports_itself_round_a_corner() -> None:
    graph = {module: at_once(module) for module in MODULES}
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " → ".join((*path[path.index(module) :], module))
        if module not in done:
            for other in graph[module]:
                walk(other, (*path, module))
            done.add(module)

    for module in graph:
        walk(module, ())


def test_no_module_and_no_class_is_named_twice() -> None:
    modules = [path.stem for path in MODULES.values() if path.name != "__init__.py"]
    trees = [ast.parse(path.read_text("utf-8")) for path in MODULES.values()]
    classes = [node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for names in (modules, classes):
        assert sorted(name for name, times in Counter(names).items() if times > 1) == []


def test_what_runs_behind_the_wall_imports_nothing_from_before_it() -> None:
    inside = [module for module in MODULES if module.startswith("grader.sandbox.inside")]
    assert len(inside) > 5
    for module in inside:
        assert all(other.startswith("grader.sandbox.inside") for other in everywhere(module)), module


def test_a_cycle_would_be_seen() -> None:
    """The graph is not empty: what everybody knows to import each other is in it."""
    assert "grader.record" in everywhere("grader.judge.grading")
    assert "grader.sandbox.worker" in at_once("grader.judge.process")
    assert sys.getrecursionlimit() > len(MODULES)
