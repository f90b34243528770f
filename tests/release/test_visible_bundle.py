"""A bundle with the visible checks only: that an example passes is never called passed, done, or worth points."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from grader.course import load_course
from grader.practice.progress import ProgressFile

COURSE = load_course(Path(__file__).resolve().parents[2] / "course.yml")

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Init = Callable[[Path, Path], Path]
Answer = Callable[..., Path]

BOASTS = re.compile(r"✓|\bpassed\b|\d points|\d pt\b|All done", re.IGNORECASE)
"""What only somebody may say who has run every check."""


@pytest.fixture(scope="module")
def workspace(visible_bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Init, answer: Answer) -> Path:
    """A workspace where one exercise is answered rightly, and one with a mistake that its example does not show."""
    folder = init(visible_bundle, tmp_path_factory.mktemp("seeing") / "attention")
    answer(folder, "soft_lookup")
    answer(folder, "self_attention", "return weights @ value", "return weights @ value + 1")
    return folder


@pytest.fixture(scope="module")
def checked(workspace: Path, kata: Kata) -> str:
    done = kata("check", "soft_lookup", "self_attention", cwd=workspace)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_check_says_that_the_example_passes(checked: str) -> None:
    assert "The example passes; 4 checks run when you hand in." in checked
    assert "The example passes; 6 checks run when you hand in." in checked
    assert "The example passes in 2 of 2 exercises; 10 checks run when you hand in." in checked
    assert not BOASTS.search(checked)


def test_verbose_names_what_is_to_come(workspace: Path, kata: Kata) -> None:
    told = " ".join(kata("check", "soft_lookup", "-v", cwd=workspace).stdout.split())
    assert "holds" in told and "runs when you hand in, " in told
    assert not re.search(r"✓|\bpassed\b|All done", told)


def test_progress_has_nothing_passed(checked: str, workspace: Path) -> None:
    progress = ProgressFile(workspace / ".kata").read()
    done = progress.of("self_attention")
    assert not done.is_passed and (done.attempts[-1].status, done.attempts[-1].points) == ("partly", 0.0)


@pytest.mark.parametrize("command", [pytest.param((), id="kata"), pytest.param(("list",), id="list")])
def test_overviews_say_so_too(command: tuple[str, ...], checked: str, workspace: Path, kata: Kata) -> None:
    told = " ".join(kata(*command, cwd=workspace).stdout.split())
    assert ("the example passes; 4 checks run when you hand in" if command else "The example passes in 2 of 47") in told
    assert not BOASTS.search(told.partition("Next:")[0])


def test_way_goes_on(checked: str, workspace: Path, kata: Kata) -> None:
    assert "Next: Score every word against one" in kata("next", cwd=workspace).stdout


def test_nothing_is_ever_all_done(visible_bundle: Path, tmp_path: Path, init: Init, kata: Kata, answer: Answer) -> None:
    folder = init(visible_bundle, tmp_path / "attention")
    for exercise in COURSE.exercises:
        answer(folder, exercise.id)
    done = kata("check", cwd=folder, seconds=300)
    assert "The example passes in 47 of 47 exercises" in done.stdout
    assert not BOASTS.search(done.stdout)
    coming = kata("next", cwd=folder).stdout
    assert coming == "Everything that can be checked here holds. The other checks run when you hand in.\n"
    assert kata("report", cwd=folder, seconds=300).returncode == 0
    assert "All done" not in (folder / "report.html").read_text("utf-8")


def test_report_has_no_tick_and_no_points(checked: str, workspace: Path, kata: Kata) -> None:
    assert kata("report", cwd=workspace).returncode == 0
    page = (workspace / "report.html").read_text("utf-8")
    body = re.sub(r"<[^>]*>", " ", page.partition("</header>")[2])
    assert "The example passes in <b>2</b> of 47 exercises" in page
    assert "The example passes; 6 checks run when you hand in." in page
    own = body.partition("Exercises")[2]
    assert "✓" not in own and "/ 4" not in own and "holds" in own


def test_pytest_says_so_too(
    visible_bundle: Path, tmp_path: Path, init: Init, run_command: Callable[..., Done], answer: Answer
) -> None:
    here = init(visible_bundle, tmp_path / "attention")
    for id in ("softmax", "debug_model_args"):
        answer(here, id)
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    for count in ("2 example checks hold", "14 to run when you hand in", "45 not started"):
        assert count in done.stdout.splitlines()[-1]
    assert re.search(r"03_softmax\.py::test_shiny_example THE EXAMPLE HOLDS", done.stdout)
    assert re.search(r"03_softmax\.py::test_dim_chooses_the_axis RUNS WHEN YOU HAND IN", done.stdout)
    assert "passed" not in done.stdout.lower()


def test_watch_says_so_too(
    visible_bundle: Path, tmp_path: Path, init: Init, answer: Answer, course_in: Callable[[Path], dict[str, str]]
) -> None:
    folder = init(visible_bundle, tmp_path / "attention")
    watching = pexpect.spawn(
        str(Path(sys.executable).with_name("kata")),
        ["watch"],
        cwd=str(folder),
        env={**os.environ, **course_in(folder)},
        timeout=90,
    )
    try:
        watching.expect_exact("Save a file to have it checked.")
        answer(folder, "softmax")
        watching.expect_exact("The example passes; 5 checks run when you hand in.")
        watching.expect_exact("Save a file to have it checked.")
        assert b"passed" not in watching.before.replace(b"what you passed", b"")
    finally:
        watching.close(force=True)


def test_there_are_no_answers_in_it(workspace: Path, kata: Kata) -> None:
    done = kata("solution", "softmax", cwd=workspace)
    assert done.stderr == "This is a learner's bundle: the course's answers are not in it.\n"


def test_wrong_example_is_told_as_ever(workspace: Path, kata: Kata, answer: Answer) -> None:
    answer(workspace, "split_heads", "return apart.transpose(1, 2)", "return x.view(batch, num_heads, num_tokens, -1)")
    done = kata("check", "split_heads", cwd=workspace)
    assert done.returncode == 1 and re.search(r"yours +expected", done.stdout)
