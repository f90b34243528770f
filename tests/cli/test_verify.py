"""`kata verify`: the author's gate names everything that an exercise's kit lacks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_complete_kit_holds(tiny_course: Path, kata: Run) -> None:
    done = kata("verify", cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    # the reference at four levels, the stub, three mistakes, three alternatives
    assert "All hold" in done.stdout and "11 files graded" in done.stdout


def test_every_missing_part_is_named_with_the_file_to_write(tiny_course: Path, kata: Run) -> None:
    kit = "01_parts/01_share"
    for part in ("solutions", "tests/checks", "tests/mistakes", "exercises"):
        (tiny_course / part / f"{kit}.py").unlink()
    (tiny_course / "tests/alternatives" / kit / "loop.py").unlink()
    (tiny_course / "exercises/01_parts/README.md").write_text("# Parts\n")
    done = kata("verify", cwd=tiny_course)
    assert done.returncode == 1, done.stderr
    *problems, sum_line = done.stdout.splitlines()
    assert all(line.startswith("share: ") for line in problems)
    assert [word for line in problems for word in line.split() if "/" in word] == [
        f"solutions/{kit}.py",
        f"tests/checks/{kit}.py",
        f"tests/mistakes/{kit}.py",
        f"exercises/{kit}.py",
        f"tests/alternatives/{kit}",
        "exercises/01_parts/README.md",
    ]
    assert sum_line.startswith("6 to mend")


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> tuple[int, str]:
    """Status and output for a course with a flaw in each of its four complete kits."""
    kits = ["01_parts/01_harmless", "01_parts/02_stale", "01_parts/03_strict", "01_parts/04_misnamed"]
    root = make_course(tmp_path_factory.mktemp("flawed"), *kits)
    bank = root / "tests/mistakes/01_parts/01_harmless.py"
    bank.write_text(
        bank.read_text() + "MISTAKES.append(Mistake('other-way', 'It is right.', 'test_example', "
        "[('amounts / total', 'amounts * (1 / total)')]))\n"
    )
    (root / "exercises/01_parts/02_stale.py").write_text("def stale(amounts): ...\n")
    wrong = "def strict(amounts):\n    return amounts / amounts.sum()\n"
    (root / "tests/alternatives/01_parts/03_strict/whole.py").write_text(wrong)
    bank = root / "tests/mistakes/01_parts/04_misnamed.py"
    bank.write_text(bank.read_text().replace('"columns", "', '"rows", "', 1).replace('"test_example"', '"test_else"'))
    done = kata("verify", "--seed", 3, cwd=root)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param("harmless, other-way: not caught by test_example (failed: nothing)", id="mistake nothing catches"),
        pytest.param("stale: the stub is not made from the solution: run `kata verify --write-stubs`", id="stale stub"),
        pytest.param("strict, whole: test_every_row_by_itself refuses a right answer", id="refused alternative"),
        pytest.param(
            "misnamed, largest: not caught by test_else (failed: test_every_row_by_itself, test_example)",
            id="caught by another check than the bank says",
        ),
    ],
)
def test_flaw_is_named(problem: str, flawed: tuple[int, str]) -> None:
    status, output = flawed
    assert status == 1
    assert problem in output


def test_stale_stub_is_written_anew_when_asked(tiny_course: Path, kata: Run) -> None:
    stub = tiny_course / "exercises/01_parts/01_share.py"
    due = stub.read_text()
    stub.write_text("def share(amounts): ...\n")
    done = kata("verify", "share", "--write-stubs", cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert stub.read_text() == due


def test_points_that_do_not_add_up_are_told(tiny_course: Path, kata: Run) -> None:
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("points: 4", "points: 5"))
    done = kata("verify", cwd=tiny_course)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "4 points" in done.stdout + done.stderr and "5" in done.stdout + done.stderr
