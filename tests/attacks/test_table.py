"""The table of attacks in docs/security.md is true: every test that it names is there, and no file of the corpus is left out."""

from __future__ import annotations

import ast
import runpy
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_security_table.py"))
GROUPS = SCRIPT["groups"]()
ROWS = [row for group in GROUPS for row in group.rows]
LEAST_ROWS = 150


@cache
def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def names_of_tests(path: str) -> set[str]:
    return {node.name for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)}


def texts(path: str) -> set[str]:
    return {
        node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_page_has_the_table_as_it_is():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert SCRIPT["with_table"](page) == page, "stale: run python scripts/write_security_table.py"


def test_table_is_long_enough():
    assert len(ROWS) >= LEAST_ROWS


@pytest.mark.parametrize("test", sorted({row.test for row in ROWS if "::" in row.test}))
def test_named_test_is_there(test: str):
    path, _, name = test.partition("::")
    function, _, case = name.partition("[")
    assert (ROOT / path).is_file()
    assert function.startswith("test_") and function in names_of_tests(path)
    assert not case or case.removesuffix("]") in texts(path)


def test_every_file_of_the_corpus_is_in_one_group():
    listed = [Path(row.test).stem for row in ROWS if "::" not in row.test]
    assert len(listed) == len(set(listed))
    assert set(listed) == {path.stem for path in (HERE / "corpus").glob("*.py")}


def test_every_test_against_attacks_is_named():
    own = {f"{path.relative_to(ROOT).as_posix()}" for path in HERE.glob("test_*.py")} - {"tests/attacks/test_table.py"}
    assert own == {row.test.partition("::")[0] for row in ROWS} & own


def test_nothing_is_tried_twice():
    tried = [row.tries for row in ROWS]
    assert not [each for each in set(tried) if tried.count(each) > 1]


def test_groups_have_what_they_need():
    for group in yaml.safe_load((HERE / "table.yml").read_text(encoding="utf-8")):
        assert group.keys() <= {"title", "corpus", "passed", "in", "attacks"}
        assert group.get("corpus") or group.get("attacks"), group["title"]
        for attack in group.get("attacks", ()):
            assert attack.keys() == {"tries", "happens", "test"}, attack
