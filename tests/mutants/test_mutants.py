"""Mutants of references: what is changed and what is not, and that the checks of the real course catch them."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from grader.authoring.mutants import mutants
from grader.course import load_course

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")
SURVIVORS = yaml.safe_load((Path(__file__).parent / "survivors.yml").read_text(encoding="utf-8"))
EVERY = 100
"""Each test run grades a hundredth of all mutants; `python scripts/mutation.py` grades them all."""


def changes(body: str) -> set[str]:
    """The changed lines of all mutants of a function with this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"def f(a, b):\n    # BEGIN SOLUTION\n{lines}    # END SOLUTION\n"
    return {mutant.now for mutant in mutants(source)}


@pytest.mark.parametrize(
    ("body", "mutant"),
    [
        ("return a @ b", "return (b @ a)"),
        ("return a @ b", "return (a * b)"),
        ("return a / b", "return (a)"),
        ("return -a", "return (a)"),
        ("return a > b", "return (a >= b)"),
        ("return a is None", "return (a is not None)"),
        ("return a and b", "return (a or b)"),
        ("return a if b else 0", "return (0)"),
        ("return a.sum(-1)", "return a.sum(-0)"),
        ("return a.sum(dim=1)", "return a.sum(dim=2)"),
        ("return a.sum(dim=1)", "return a.sum()"),
        ("return a.contiguous()", "return (a)"),
        ("return a.view(b, 2)", "return a.view(2, b)"),
        ("return a[:, b:]", "return a[:, :]"),
        ("return a * 0.5", "return a * 1.0"),
        ("return f(a, keep=True)", "return f(a, keep=False)"),
        ("return a, b", "return b, a"),
        ("return a", "return b"),
        ("a += b", "a -= b"),
        ("a += b", "a = b"),
        ("assert a == b", "pass"),
        ("if a:\n    raise ValueError", "if True:"),
        ("c = a\nreturn c", "return b"),
        ("self.x = 1\nself.y = 2\nreturn self.x", "return self.y"),
    ],
    ids=lambda text: text.replace("\n", "; "),
)
def test_a_slip_of_each_kind_is_made(body: str, mutant: str) -> None:
    if "self." in body:
        lines = "".join(f"        {line}\n" for line in body.splitlines())
        source = f"class C:\n    def f(self):\n        # BEGIN SOLUTION\n{lines}        # END SOLUTION\n"
        assert mutant in {each.now for each in mutants(source)}
    else:
        assert mutant in changes(body)


@pytest.mark.parametrize(
    "body",
    ["raise ValueError('a text')", "x: int", '"""A docstring."""', "return a.transpose(a, b)"],
    ids=["what an error says", "a type hint", "a docstring", "axes that may be named either way round"],
)
def test_what_no_check_could_see_stays(body: str) -> None:
    assert not any("_'" in change or "b, a" in change or "A docstring._" in change for change in changes(body))


def test_only_what_learners_write_is_changed() -> None:
    source = "x = 1 + 2\ndef f(a):\n    # BEGIN SOLUTION\n    return a + 1\n    # END SOLUTION\ny = 3 * 4\n"
    assert {mutant.line for mutant in mutants(source)} == {4}


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_each_reference_has_mutants_and_none_twice(exercise) -> None:
    reference = COURSE.solution_path(exercise).read_text(encoding="utf-8")
    sources = [mutant.source for mutant in mutants(reference)]
    assert len(sources) > 5
    assert len(set(sources)) == len(sources)
    assert reference not in sources


@pytest.mark.parametrize("id", SURVIVORS)
def test_a_listed_survivor_is_a_mutant_and_has_a_reason(id: str) -> None:
    reference = COURSE.solution_path(COURSE.exercise(id)).read_text(encoding="utf-8")
    made = {(mutant.was, mutant.now) for mutant in mutants(reference)}
    listed = [(entry["was"], entry["now"]) for entry in SURVIVORS[id]]
    assert [pair for pair in listed if pair not in made] == []
    assert len(set(listed)) == len(listed)
    assert all(len(entry["why"].split()) > 3 for entry in SURVIVORS[id])


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_checks_catch_a_part_of_all_mutants() -> None:
    command = [sys.executable, "scripts/mutation.py", "--every", str(EVERY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=850)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of them without a reason" in done.stdout
