"""`pytest` as a learner runs it in a course, in processes of its own. Other courses and folders: tests/transcripts/pytest.txt."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..cases import table

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

# What was written into the first four; the fifth is not begun.
SOURCES = table(__file__, "pytest_sources.yml")
SHARE, PORTION, PIECE, SPLIT = SOURCES
SLICE_UP = "exercises/02_more/03_slice_up.py"
FAILURES = re.compile(r"(?s)= FAILURES =\n(.*)= short test summary")


@pytest.fixture(scope="session")
def run_pytest(run_command: Run) -> Run:
    def run(*arguments: object, **how: object) -> Done:
        return run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, **how)

    return run


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    files = (*SOURCES, SLICE_UP)
    kits = [file.removeprefix("exercises/").removesuffix(".py") for file in files]
    root = make_course(tmp_path_factory.mktemp("course"), *kits)
    for name, source in SOURCES.items():
        (root / name).write_text(source)
    return root


def reported(done: Done) -> str:
    """What a run says from the number of its items on, without times and shares, and with short rulers."""
    assert done.returncode == 1, done.stdout + done.stderr
    text = re.sub(r" +\[ *\d+%\]| in [\d.]+s(?= =)", "", done.stdout.partition(" items")[2])
    return re.sub(r"(?m)^([=_])\1+ (.*) \1+$", r"\1 \2 \1", text)


@pytest.fixture(scope="module")
def report(course: Path, run_pytest: Run) -> str:
    return reported(run_pytest("-v", "--seed", 5, cwd=course, env={"COLUMNS": "80"}))


def test_a_whole_course_runs_in_its_order_and_nothing_of_the_graders_is_shown(
    report: str, golden: Callable[[Path, str], None]
) -> None:
    """What is not begun is no failure, and hidden checks show no numbers."""
    golden(Path(__file__).with_name("pytest_session.txt"), report)


def test_learners_file_is_not_imported_by_pytest(report: str, course: Path) -> None:
    assert not (course / "imported_by_pytest").exists()


@pytest.mark.thorough
def test_parallel_run_comes_to_the_same(report: str, course: Path, run_pytest: Run) -> None:
    parallel = reported(run_pytest("--seed", 5, "-n", 2, cwd=course, env={"COLUMNS": "80"}))
    lines, parallel_lines = (sorted(FAILURES.findall(text)[0].splitlines()) for text in (report, parallel))
    assert [line for line in parallel_lines if not line.startswith("[gw")] == lines


# --- in pytest's own process ------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_debugger_stops_in_the_learners_own_frame_and_shows_none_of_ours_above(course: Path, run_pytest: Run) -> None:
    commands = "p 'the whole is', whole.tolist()\nu\nu\nw\nq\n"
    done = run_pytest("--pdb", f"{SHARE}::test_example", cwd=course, stdin=commands)
    told = done.stdout.partition("entering PDB")[2]
    assert f"{SHARE}(8)divided()" in told and "('the whole is', [4.0])" in told
    assert "share()" in told and "*** Oldest frame" in told
    assert "grader/" not in told and "tests/kits" not in told and "site-packages" not in told


@pytest.mark.thorough
def test_debugger_stands_in_the_check_where_nothing_was_raised(course: Path, run_pytest: Run) -> None:
    commands = "p rows != columns\nu\nq\n"
    done = run_pytest("--pdb", f"{PORTION}::test_every_row_by_itself", cwd=course, stdin=commands)
    told = done.stdout.partition("entering PDB")[2]
    assert "checks.py" in told and "-> learner.agrees(" in told and "(Pdb) True" in told and "*** Oldest frame" in told
    assert "site-packages" not in told


@pytest.mark.thorough
def test_quitting_at_a_breakpoint_ends_the_run_and_is_no_failure_of_the_code(course: Path, run_pytest: Run) -> None:
    (course / SPLIT).write_text(SOURCES[SPLIT].replace("    return", "    breakpoint()\n    return"))
    try:
        done = run_pytest("-s", SPLIT, cwd=course, stdin="p amounts.shape\nq\n")
    finally:
        (course / SPLIT).write_text(SOURCES[SPLIT])
    assert "torch.Size([3])" in done.stdout and "Exit: Quitting debugger" in done.stdout
    assert done.stdout.count("splitting (") == 1 and "1 failed" not in done.stdout
