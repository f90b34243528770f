"""`scripts/mutation.py`: what it changes, and that the checks of the real course catch it."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from grader.course import load_course

from ..cases import table

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")
SURVIVORS, SLIPS = (table(__file__, name) for name in ("survivors.yml", "slips.yml"))
EVERY = 100
"""Each test run grades a hundredth of all mutants; `python scripts/mutation.py` grades them all."""

spec = spec_from_file_location("mutation", ROOT / "scripts" / "mutation.py")
assert spec and spec.loader
mutation = sys.modules["mutation"] = module_from_spec(spec)
spec.loader.exec_module(mutation)


def changed_lines(body: str) -> set[str]:
    """The changed line of each mutant of a method with this body."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    source = f"class C:\n    def f(self, a, b):\n        # BEGIN SOLUTION\n{lines}        # END SOLUTION\n"
    return {mutant.now for mutant in mutation.mutants(source)}


@pytest.mark.parametrize(("body", "mutant"), SLIPS, ids=lambda text: text.replace("\n", "; "))
def test_a_slip_of_each_kind_is_made(body: str, mutant: str) -> None:
    assert mutant in changed_lines(body)


@pytest.mark.parametrize(
    "body",
    ["raise ValueError('a text')", "x: int", '"""A docstring."""', "return a.transpose(a, b)"],
    ids=["what an error says", "a type hint", "a docstring", "axes that may be named either way round"],
)
def test_what_no_check_could_see_stays(body: str) -> None:
    assert not any("_'" in line or "b, a" in line or "A docstring._" in line for line in changed_lines(body))


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_references_have_mutants_of_what_learners_write_and_listed_survivors_are_among_them(exercise) -> None:
    reference = COURSE.solution_path(exercise).read_text(encoding="utf-8")
    found = mutation.mutants(reference)
    assert len({mutant.source for mutant in found} - {reference}) == len(found) > 5
    first, last = (reference.split(mark)[0].count("\n") + 1 for mark in (mutation.BEGIN, mutation.END))
    assert reference.count(mutation.BEGIN) > 1 or all(first < mutant.line < last for mutant in found)
    listed = SURVIVORS.get(exercise.id, [])
    assert {(entry["was"], entry["now"]) for entry in listed} <= {(mutant.was, mutant.now) for mutant in found}
    assert all(len(entry["why"].split()) > 3 for entry in listed)


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_checks_catch_a_part_of_all_mutants() -> None:
    command = [sys.executable, "scripts/mutation.py", "--every", str(EVERY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=850)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of them without a reason" in done.stdout
