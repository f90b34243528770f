"""`pytest` as a learner runs it in a course, in processes of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

# The first fails with an error of its own, the second and third give wrong numbers, the fourth is right, the fifth is
# not begun.
KITS = ("01_parts/01_share", "01_parts/02_portion", "02_more/01_piece", "02_more/02_split", "02_more/03_slice_up")
SHARE, PORTION, PIECE, SPLIT, SLICE_UP = (f"exercises/{kit}.py" for kit in KITS)

RAISES = """\
def share(amounts):
    print("sharing", tuple(amounts.shape))
    return divided(amounts)


def divided(amounts):
    whole = amounts.sum(-1, keepdim=True)
    return amounts / whole[0, 0, 0, 0]
"""

# Were it imported by pytest, it would leave a file behind.
WRONG = """\
import sys

if "pytest" in sys.modules:
    open("imported_by_pytest", "w").close()


def portion(amounts):
    return amounts / amounts.sum()
"""

RIGHT = """\
def split(amounts):
    print("splitting", tuple(amounts.shape))
    return amounts / amounts.sum(-1, keepdim=True)
"""

VISIBLY_WRONG = """\
def piece(amounts):
    return amounts / amounts.amax(-1, keepdim=True)
"""

BESIDE_NO_COURSE = """\
import sys


def test_nothing_heavy_was_loaded():
    assert not {"torch", "pydantic", "yaml", "grader.judge.grading"} & set(sys.modules)
"""


PICTURE = [
    "1, 1 and 2 become .25, .25 and .5.",
    "Probably: You divided by the largest.",
    "The parts of 1, 1 and 2 should be .25, .25 and .5.",
    "The output. All 3 numbers are off.",
    "yours (! = wrong)     expected",
    "  0     1     2         0     1     2",
    " 0.50! 0.50! 1.00!     0.25  0.25  0.50",
]


@pytest.fixture(scope="session")
def run_pytest(run_command: Run) -> Run:
    def run(*arguments: object, **how: object) -> Done:
        return run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, **how)

    return run


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("course"), *KITS)
    for name, source in {SHARE: RAISES, PORTION: WRONG, PIECE: VISIBLY_WRONG, SPLIT: RIGHT}.items():
        (root / name).write_text(source)
    return root


@pytest.fixture(scope="module")
def session(course: Path, run_pytest: Run) -> Done:
    """Plain `pytest` in that course, told line by line."""
    return run_pytest("-v", cwd=course)


@pytest.mark.thorough
def test_started_exercises_run_in_course_order_and_the_others_are_not_failures(session: Done) -> None:
    assert session.returncode == 1, session.stdout + session.stderr
    told = [line.split()[0:2] for line in session.stdout.splitlines() if "::" in line and "%]" in line]
    checks = ("test_example", "test_every_row_by_itself", "test_amounts_are_left_alone")
    outcomes = iter(
        [
            "FAILED",
            "FAILED",
            "FAILED",
            "PASSED",
            "FAILED",
            "PASSED",
            "FAILED",
            "FAILED",
            "PASSED",
            "PASSED",
            "PASSED",
            "PASSED",
        ]
    )
    due = [[f"{file}::{check}", next(outcomes)] for file in (SHARE, PORTION, PIECE, SPLIT) for check in checks]
    assert told == [*due, [f"{SLICE_UP}::not_started", "NOT"]]


def shows_all(done: Done) -> None:
    """A run of the whole course tells what failed and why, and nothing of the grader's."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert "6 failed, 6 passed, 1 not started" in done.stdout
    for line in (
        "Every amount is divided by the sum of its own row.",
        "IndexError in line 8, in `divided` (`return amounts / whole[0, 0, 0, 0]`)",
        "Probably: You divided by one sum of everything.",
    ):
        assert line in done.stdout
    lines = done.stdout.splitlines()
    start = lines.index(PICTURE[3]) - 3
    assert lines[start : start + len(PICTURE)] == PICTURE
    assert lines.count(PICTURE[6]) == 1, "only the visible check shows numbers"
    failures = done.stdout.partition("= FAILURES =")[2]
    for foreign in ("Traceback", "grader/", "site-packages", "tests/kits", "learner.agrees"):
        assert foreign not in failures


def test_failures_tell_what_failed_and_show_nothing_of_the_graders(session: Done) -> None:
    shows_all(session)


@pytest.mark.thorough
def test_parallel_run_comes_to_the_same(course: Path, run_pytest: Run) -> None:
    shows_all(run_pytest("-n", 2, cwd=course))


def test_learners_file_is_not_imported_by_pytest(session: Done, course: Path) -> None:
    assert not (course / "imported_by_pytest").exists()


@pytest.mark.thorough
def test_colour_is_in_the_terminal_and_not_in_the_report_for_other_programs(
    course: Path, run_pytest: Run, tmp_path: Path
) -> None:
    file, environment = tmp_path / "report.xml", {"NO_COLOR": "", "TERM": "xterm-256color"}
    done = run_pytest("--color=yes", f"--junitxml={file}", PIECE, cwd=course, env=environment)
    (row,) = [line for line in done.stdout.splitlines() if line.count("!") == 3]
    assert row.count("\x1b[48;5;") + row.count(";48;5;") >= 6
    written = file.read_text(encoding="utf-8")
    assert PICTURE[5] in written and "x1B[" not in written and "\x1b" not in written


# --- in pytest's own process ------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_one_check_runs_by_name_and_prints_are_seen_without_isolation(course: Path, run_pytest: Run) -> None:
    done = run_pytest("-s", "--isolation", "none", "--seed", 1, f"{SPLIT}::test_example", cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "splitting (3,)" in done.stdout and "1 passed" in done.stdout


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
    (course / SPLIT).write_text(RIGHT.replace("    return", "    breakpoint()\n    return"))
    try:
        done = run_pytest("-s", SPLIT, cwd=course, stdin="p amounts.shape\nq\n")
    finally:
        (course / SPLIT).write_text(RIGHT)
    assert "torch.Size([3])" in done.stdout and "Exit: Quitting debugger" in done.stdout
    assert done.stdout.count("splitting (") == 1 and "1 failed" not in done.stdout


# --- courses and other folders ----------------------------------------------------------------------------------------


def test_nothing_happens_outside_a_course(tmp_path: Path, run_pytest: Run) -> None:
    for folder in ("work", "exercises"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_own.py").write_text(BESIDE_NO_COURSE)
    done = run_pytest("--import-mode=importlib", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_untouched_course_is_no_failure_and_a_broken_one_is_told_without_a_trace(
    tiny_course: Path, run_pytest: Run
) -> None:
    done = run_pytest(cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 not started" in done.stdout and "failed" not in done.stdout
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("document: sums", "document: sumz"))
    done = run_pytest(cwd=tiny_course)
    assert done.returncode not in (0, 1)
    told = done.stdout + done.stderr
    assert re.search(r"course.yml:\d+: there is no document `sumz`", told)
    assert "grader/" not in told and "site-packages" not in told
