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

# The first fails with an error of its own, the second gives wrong numbers, the third is right, the fourth is not begun.
KITS = ("01_parts/01_share", "01_parts/02_portion", "02_more/01_split", "02_more/03_slice_up")

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

BESIDE_NO_COURSE = """\
import sys


def test_nothing_heavy_was_loaded():
    assert not {"torch", "pydantic", "yaml", "grader.judge.grading"} & set(sys.modules)
"""


@pytest.fixture(scope="session")
def run_pytest(run_command: Run) -> Run:
    def run(*arguments: object, **how: object) -> Done:
        return run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, **how)

    return run


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("course"), *KITS)
    for kit, source in zip(KITS, (RAISES, WRONG, RIGHT), strict=False):
        (root / "exercises" / f"{kit}.py").write_text(source)
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
    outcomes = iter(["FAILED"] * 3 + ["PASSED", "FAILED", "PASSED"] + ["PASSED"] * 3)
    due = [[f"exercises/{kit}.py::{check}", next(outcomes)] for kit in KITS[:3] for check in checks]
    assert told == [*due, [f"exercises/{KITS[3]}.py::not_started", "NOT"]]
    assert "4 failed, 5 passed, 1 not started" in session.stdout


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Every amount is divided by the sum of its own row.", id="the check's sentence"),
        pytest.param(
            "IndexError in line 8, in `divided` (`return amounts / whole[0, 0, 0, 0]`)", id="the learner's own line"
        ),
        pytest.param("Probably: You divided by one sum of everything.", id="the known mistake"),
    ],
)
def test_failure_tells(line: str, session: Done) -> None:
    assert line in session.stdout


def test_failure_shows_nothing_of_the_graders(session: Done) -> None:
    failures = session.stdout.partition("= FAILURES =")[2]
    for foreign in ("Traceback", "grader/", "site-packages", "tests/kits", "learner.agrees"):
        assert foreign not in failures


def test_learners_file_is_not_imported_by_pytest(session: Done, course: Path) -> None:
    assert not (course / "imported_by_pytest").exists()


def test_untouched_course_is_all_not_started_and_no_failure(tiny_course: Path, run_pytest: Run) -> None:
    done = run_pytest(cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 not started" in done.stdout and "failed" not in done.stdout


@pytest.mark.thorough
def test_one_check_can_be_run_by_name(course: Path, run_pytest: Run) -> None:
    done = run_pytest(f"exercises/{KITS[1]}.py::test_example", "--seed", 1, cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.thorough
def test_prints_are_seen_without_isolation(course: Path, run_pytest: Run) -> None:
    done = run_pytest("-s", "--isolation", "none", f"exercises/{KITS[2]}.py", cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "splitting (3,)" in done.stdout


VISIBLY_WRONG = """\
def split(amounts):
    return amounts / amounts.amax(-1, keepdim=True)
"""

PICTURE = [
    "1, 1 and 2 become .25, .25 and .5.",
    "Probably: You divided by the largest.",
    "The parts of 1, 1 and 2 should be .25, .25 and .5.",
    "The output. All 3 numbers are off.",
    "yours (! = wrong)     expected",
    "  0     1     2         0     1     2",
    " 0.50! 0.50! 1.00!     0.25! 0.25! 0.50!",
]


@pytest.fixture(scope="module")
def visibly_wrong(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("visible"), KITS[2])
    (root / "exercises" / f"{KITS[2]}.py").write_text(VISIBLY_WRONG)
    return root


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [(), ("-n", 2)], ids=["alone", "in parallel"])
def test_visible_check_shows_what_came_beside_what_was_due(
    workers: tuple[object, ...], visibly_wrong: Path, run_pytest: Run
) -> None:
    done = run_pytest(*workers, cwd=visibly_wrong)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    start = lines.index(PICTURE[0])
    assert lines[start : start + len(PICTURE)] == PICTURE
    assert lines.count(PICTURE[6]) == 1, "only the visible check shows numbers"


@pytest.mark.thorough
def test_colour_is_there_when_pytest_is_told_to_use_it(visibly_wrong: Path, run_pytest: Run) -> None:
    environment = {"NO_COLOR": "", "TERM": "xterm-256color"}
    done = run_pytest("--color=yes", cwd=visibly_wrong, env=environment)
    (row,) = [line for line in done.stdout.splitlines() if line.count("!") == 6]
    assert row.count("\x1b[48;5;") + row.count(";48;5;") >= 6


@pytest.mark.thorough
def test_report_for_other_programs_is_without_colour(visibly_wrong: Path, run_pytest: Run, tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    run_pytest("--color=yes", f"--junitxml={file}", cwd=visibly_wrong, env={"NO_COLOR": ""})
    written = file.read_text(encoding="utf-8")
    assert PICTURE[5] in written and "x1B[" not in written and "\x1b" not in written


@pytest.mark.thorough
def test_debugger_stops_in_the_learners_own_frame(course: Path, run_pytest: Run) -> None:
    commands = "p 'the whole is', whole.tolist()\nq\n"
    done = run_pytest("--pdb", "--isolation", "none", f"exercises/{KITS[0]}.py", cwd=course, stdin=commands)
    assert f"exercises/{KITS[0]}.py(8)divided()" in done.stdout
    assert "('the whole is', [4.0])" in done.stdout


@pytest.mark.thorough
def test_debugger_stands_in_the_check_where_nothing_was_raised(course: Path, run_pytest: Run) -> None:
    done = run_pytest(
        "--pdb", f"exercises/{KITS[1]}.py::test_every_row_by_itself", cwd=course, stdin="p rows != columns\nu\nq\n"
    )
    told = done.stdout.partition("entering PDB")[2]
    assert "checks.py" in told and "-> learner.agrees(" in told and "(Pdb) True" in told and "*** Oldest frame" in told
    assert "site-packages" not in told


@pytest.mark.thorough
def test_debugger_shows_no_frames_of_ours_above_the_learners(course: Path, run_pytest: Run) -> None:
    done = run_pytest("--pdb", f"exercises/{KITS[0]}.py::test_example", cwd=course, stdin="u\nu\nw\nq\n")
    told = done.stdout.partition("entering PDB")[2]
    assert "divided()" in told and "share()" in told and "*** Oldest frame" in told
    assert "grader/" not in told and "tests/kits" not in told and "site-packages" not in told


@pytest.mark.thorough
def test_quitting_at_a_breakpoint_ends_the_run_and_is_no_failure_of_the_code(course: Path, run_pytest: Run) -> None:
    file = course / "exercises" / f"{KITS[2]}.py"
    file.write_text(RIGHT.replace("    return", "    breakpoint()\n    return"))
    try:
        done = run_pytest("-s", f"exercises/{KITS[2]}.py", cwd=course, stdin="p amounts.shape\nq\n")
    finally:
        file.write_text(RIGHT)
    assert "torch.Size([3])" in done.stdout and "Exit: Quitting debugger" in done.stdout
    assert done.stdout.count("splitting (") == 1 and "1 failed" not in done.stdout


@pytest.mark.thorough
def test_parallel_run_comes_to_the_same(course: Path, run_pytest: Run) -> None:
    done = run_pytest("-n", 2, cwd=course)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "4 failed, 5 passed, 1 not started" in done.stdout
    assert "IndexError in line 8, in `divided`" in done.stdout and "grader/" not in done.stdout


@pytest.mark.parametrize("folder", ["work", "exercises"])
def test_nothing_happens_outside_a_course(folder: str, tmp_path: Path, run_pytest: Run) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "test_own.py").write_text(BESIDE_NO_COURSE)
    done = run_pytest(cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_broken_course_is_told_without_a_trace(tiny_course: Path, run_pytest: Run) -> None:
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("document: sums", "document: sumz"))
    done = run_pytest(cwd=tiny_course)
    assert done.returncode not in (0, 1)
    told = done.stdout + done.stderr
    assert re.search(r"course.yml:\d+: there is no document `sumz`", told)
    assert "grader/" not in told and "site-packages" not in told
