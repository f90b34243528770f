"""The table of attacks is true: every test that it names is there, and no kind of hostile file is left out."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.attacks.hostile_files import corpus
from tests.cases import table

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "attacks"
GROUPS = table(str(HERE / "table.yml"), "table.yml")
ATTACKS = [
    (each["tries"], each["test"] if "::" in each["test"] else f"{group['in']}::{each['test']}")
    for group in GROUPS
    for each in group.get("attacks", ())
]
TESTS = {test for _, test in ATTACKS}


@cache
def words_of(path: Path) -> set[str]:
    """The names of a file's tests and the texts in it, ids of cases among them."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) if path.is_file() else []
    tests = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    return tests | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@cache
def tables_beside(path: Path) -> str:
    """Cases that stand beside a test: in tables, or as transcripts of their own."""
    tables = [table.read_text(encoding="utf-8") for table in path.parent.glob("*.yml")]
    return "\n".join([*tables, *(transcript.stem for transcript in path.parent.glob("*.txt"))])


def test_every_test_that_the_table_names_is_there() -> None:
    missing = []
    for test in TESTS:
        path, _, name = test.partition("::")
        function, _, case = name.removesuffix("]").partition("[")
        words = words_of(ROOT / path)
        if function not in words or (case and case not in words and case not in tables_beside(ROOT / path)):
            missing.append(test)
    assert not missing


def test_every_kind_of_file_and_every_test_against_attacks_is_in_the_table() -> None:
    kinds = sorted(path.stem for path in (HERE / "corpus").glob("*.yml"))
    assert sorted(kind for group in GROUPS for kind in group.get("corpus", ())) == kinds
    files = {f"tests/attacks/{path.name}" for path in HERE.glob("test_*.py")}
    assert files <= {test.partition("::")[0] for test in TESTS}


def test_security_page_names_each_group() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert [each["title"] for each in GROUPS if f"- {each['title']}\n" not in page] == []


def test_nothing_is_tried_twice() -> None:
    tried = [tries for tries, _ in ATTACKS] + [each.tries for each in corpus()]
    assert not [each for each in set(tried) if tried.count(each) > 1]
