"""The table of attacks is true: every test that it names is there, and no file of the corpus is left out."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
GROUPS = yaml.safe_load((HERE / "table.yml").read_text(encoding="utf-8"))
HANDLING = yaml.safe_load((HERE / "handling.yml").read_text(encoding="utf-8"))
ATTACKS = [
    (each["tries"], each["test"] if "::" in each["test"] else f"{group['in']}::{each['test']}")
    for group in GROUPS
    for each in group.get("attacks", ())
]
LEAST_ATTACKS = 700


@cache
def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def names_of_tests(path: str) -> set[str]:
    return {node.name for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)}


def texts(path: str) -> set[str]:
    return {
        node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_table_is_long_enough() -> None:
    assert len(ATTACKS) + len(HANDLING) >= LEAST_ATTACKS


def test_security_page_names_each_group() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert [each["title"] for each in GROUPS if f"- {each['title']}\n" not in page] == []


@pytest.mark.parametrize("test", sorted({test for _, test in ATTACKS}))
def test_named_test_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    function, _, case = name.partition("[")
    assert (ROOT / path).is_file()
    assert function.startswith("test_") and function in names_of_tests(path)
    assert not case or case.removesuffix("]") in texts(path)


def test_every_file_of_the_corpus_is_in_one_group() -> None:
    files = {path.stem for path in (HERE / "corpus").glob("*.py")}
    assert files == HANDLING.keys()
    for name in files:
        assert [name.startswith(tuple(f"{each}_" for each in group.get("corpus", ()))) for group in GROUPS].count(
            True
        ) == 1


def test_every_test_against_attacks_is_named() -> None:
    own = {path.relative_to(ROOT).as_posix() for path in HERE.glob("test_*.py")} - {
        "tests/attacks/test_table.py",
        "tests/attacks/test_corpus.py",
    }
    assert own == {test.partition("::")[0] for _, test in ATTACKS} & own


def test_nothing_is_tried_twice() -> None:
    tried = [tries for tries, _ in ATTACKS]
    tried += [(HERE / "corpus" / f"{name}.py").read_text(encoding="utf-8").splitlines()[0] for name in HANDLING]
    assert not [each for each in set(tried) if tried.count(each) > 1]


def test_groups_have_what_they_need() -> None:
    for group in GROUPS:
        assert group.keys() <= {"title", "corpus", "passed", "in", "attacks"}
        assert group.get("corpus") or group.get("attacks"), group["title"]
        for attack in group.get("attacks", ()):
            assert attack.keys() == {"tries", "happens", "test"}, attack
