"""The learner's commands, one after the other, as they are typed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture
def course(tmp_path: Path, make_course: Callable[..., Path]) -> Path:
    """`portion` asks for `share` first."""
    course = make_course(tmp_path / "course", "01_parts/01_share", "01_parts/02_portion")
    text = (course / "course.yml").read_text()
    (course / "course.yml").write_text("requires: [share]".join(text.rsplit("requires: []", 1)))
    return course


def write(course: Path, id: str, source: str) -> Path:
    (file,) = course.glob(f"exercises/*/*_{id}.py")
    file.write_text(source.format(id=id))
    return file


def test_kata_alone_shows_where_you_are_and_what_is_next(course: Path, kata: Run) -> None:
    done = kata(cwd=course)
    assert done.returncode == 0
    assert "0 of 2 exercises, 0 of 8 points" in done.stdout
    assert "Next: Parts of a whole (share) (share, 4 points)" in done.stdout
    assert "exercises/01_parts/01_share.py" in done.stdout


@pytest.mark.thorough
def test_the_list_says_what_should_come_first(course: Path, kata: Run) -> None:
    lines = kata("list", cwd=course).stdout.splitlines()
    assert any("next" in line and "01 share" in line for line in lines)
    assert any("later" in line and "02 portion" in line and "(after share)" in line for line in lines)


@pytest.mark.thorough
def test_opening_is_soft(course: Path, kata: Run) -> None:
    write(course, "portion", RIGHT)
    assert kata("check", "portion", cwd=course).returncode == 0
    assert any("passed" in line and "portion" in line for line in kata("list", cwd=course).stdout.splitlines())


@pytest.mark.thorough
def test_passing_opens_the_next_one(course: Path, kata: Run) -> None:
    write(course, "share", RIGHT)
    assert kata("check", "share", cwd=course).returncode == 0
    assert "(portion, 4 points)" in kata("next", cwd=course).stdout


def test_a_skipped_exercise_opens_the_next_one_and_stays_in_the_list(course: Path, kata: Run) -> None:
    assert "(portion, 4 points)" in kata("next", "--skip", cwd=course).stdout
    assert any("skipped" in line and "share" in line for line in kata("list", cwd=course).stdout.splitlines())


@pytest.mark.thorough
def test_the_fast_track_has_only_its_own(course: Path, kata: Run) -> None:
    text = (course / "course.yml").read_text()
    head, tail = text.rsplit("        kind: implement", 1)
    (course / "course.yml").write_text(f"{head}        fast_track: true\n        kind: implement{tail}")
    assert "(portion, 4 points)" in kata("next", "--fast", cwd=course).stdout
    assert "01 share" not in kata("list", "--fast", cwd=course).stdout


@pytest.mark.thorough
def test_the_next_hint_opens_after_another_failed_attempt(course: Path, kata: Run) -> None:
    assert "Hint 1 of 3: What must a row add up to?" in kata("hint", "share", cwd=course).stdout
    shut = kata("hint", "share", cwd=course).stdout
    assert "The next hint opens after another attempt: kata check share" in shut
    assert "Divide" not in shut
    write(course, "share", "def {id}(amounts):\n    return amounts * 0 + 7\n")
    kata("check", "share", cwd=course)
    assert "Hint 2 of 3: Divide by the sum." in kata("hint", "share", cwd=course).stdout
    kata("check", "share", cwd=course)  # the same file again is no other attempt
    assert "opens after another attempt" in kata("hint", "share", cwd=course).stdout


@pytest.mark.thorough
def test_a_diagnosed_mistake_is_the_first_hint(course: Path, kata: Run) -> None:
    write(course, "share", WRONG)
    kata("check", "share", cwd=course)
    assert "From your last attempt: You divided by one sum of everything." in kata("hint", "share", cwd=course).stdout
    assert "Hint 1 of 3" in kata("hint", "share", cwd=course).stdout


def test_hints_are_recorded(course: Path, kata: Run) -> None:
    kata("hint", "share", cwd=course)
    known = json.loads((course / ".kata/progress.json").read_text())
    assert [entry["level"] for entry in known["exercises"]["share"]["hints"]] == [1]


def test_reset_gives_the_stub_back_and_says_where_the_work_is(course: Path, kata: Run) -> None:
    file = write(course, "share", WRONG)
    done = kata("reset", "share", cwd=course)
    kept = course / done.stdout.splitlines()[-1].removeprefix("Your old work is in ")
    assert kept.read_text() == WRONG.format(id="share")
    assert "NotImplementedError" in file.read_text()


def test_reset_of_an_untouched_file_archives_nothing(course: Path, kata: Run) -> None:
    assert "Your old work" not in kata("reset", "share", cwd=course).stdout
    assert not (course / ".kata/archive").exists()


@pytest.mark.thorough
def test_the_solution_is_shown_after_passing_with_other_ways(course: Path, kata: Run) -> None:
    write(course, "share", RIGHT)
    refused = kata("solution", "share", cwd=course)
    assert (refused.returncode, "is not passed yet" in refused.stderr) == (2, True)
    kata("check", "share", cwd=course)
    shown = kata("solution", "share", cwd=course).stdout
    for part in ("yours", "the course's", "another way: einsum", "amounts / total"):
        assert part in shown
    assert "BEGIN SOLUTION" not in shown


OTHERS = [pytest.param(command, marks=pytest.mark.thorough) for command in ("hint", "reset", "solution")]


@pytest.mark.parametrize("command", ["check", *OTHERS])
def test_an_unknown_exercise_is_told_with_the_one_that_looks_like_it(course: Path, kata: Run, command: str) -> None:
    done = kata(command, "shere", cwd=course)
    assert done.returncode == 2
    assert "share" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_a_damaged_progress_file_is_filled_again_from_the_work(course: Path, kata: Run) -> None:
    write(course, "share", RIGHT)
    kata("check", "share", cwd=course)
    (course / ".kata/progress.json").write_text("{")
    done = kata(cwd=course)
    assert "The progress file was damaged and is now" in done.stderr and "`kata check`" in done.stderr
    assert kata("check", cwd=course).returncode == 0
    assert "1 of 2 exercises, 4 of 8 points" in kata(cwd=course).stdout
    assert len(list((course / ".kata").glob("progress.damaged-*.json"))) == 1


@pytest.mark.thorough
def test_the_verdict_is_told_even_when_nothing_can_be_noted(course: Path, kata: Run) -> None:
    write(course, "share", RIGHT)
    (course / ".kata").write_text("a file where the folder should be")
    done = kata("check", "share", cwd=course)
    assert "4 / 4" in done.stdout
    assert "Your progress could not be noted" in done.stdout
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
