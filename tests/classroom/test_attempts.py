"""A class in which learners hand in several times: every attempt is graded once, and one of them counts."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.attempts import attempts_of, in_order
from grader.classroom.entries import entries
from grader.classroom.members import members
from grader.course import Course
from grader.intake import find_submissions
from grader.record import Record, without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]
HandIn = Callable[..., Path]

TIMES = """\
learner,attempt,time
ada,1,2026-03-01 09:00Z
ada,2,2026-03-01 11:00Z
ada,10,2026-03-01 10:00Z
bo,first.zip,2026-03-01 09:00Z
cy,7,2026-03-01 09:00Z
"""
TERMS = ["--isolation", "best", "--seed", 5, "--jobs", 1]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory, hand_in: HandIn) -> Path:
    """A class: ada tried thrice, bo's last attempt is damaged, cy handed in the exercises themselves."""
    folder = tmp_path_factory.mktemp("attempts") / "class"
    for attempt, right in (("1", False), ("2", True), ("10", False)):
        hand_in(folder / "ada", attempt, right=right)
    (folder / "ada" / "notes.txt").write_text("see you")
    hand_in(folder / "bo", "first")
    (folder / "bo" / "second.zip").write_bytes(b"no zip")
    hand_in(folder, "cy")
    return folder


@pytest.fixture(scope="module")
def graded(
    handed_in: Path, course_root: Path, kata: Run, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = tmp_path_factory.mktemp("graded") / "out"
    done = kata(
        "grade-class", handed_in, "--attempts", "--out", out, *TERMS, "--html", "--course", course_root, cwd=course_root
    )
    assert done.returncode == 0, done.stderr
    return out, done


@pytest.fixture
def out(graded: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> Path:
    """A copy of what the run left, for a test to change."""
    return Path(shutil.copytree(graded[0], tmp_path / "out"))


@pytest.fixture
def best(course_root: Path, tmp_path: Path) -> Path:
    """The course, with a policy by which the best attempt counts."""
    root = Path(shutil.copytree(course_root, tmp_path / "course"))
    with (root / "course.yml").open("a") as file:
        file.write("policy:\n  attempts: best\n")
    return root


def records(out: Path) -> dict[str, Record]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


def which(out: Path) -> dict[str, tuple[str, int, int] | None]:
    found = {name: record.attempt for name, record in records(out).items()}
    return {name: (each.name, each.number, each.of) if each else None for name, each in found.items()}


@pytest.mark.thorough
def test_last_readable_attempt_counts_and_others_are_kept(
    graded: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out, done = graded
    assert which(out) == {"ada": ("10", 3, 3), "bo": ("first", 1, 2), "cy": None}
    assert list(records(out / "attempts")) == ["ada/1", "ada/2", "ada/10", "bo/first", "bo/second", "cy/1"]
    assert (
        "no exercise was found: second is damaged or not a zip"
        in (records(out)["bo"].attempt or pytest.fail("none")).reason
    )
    assert "These folders hold exercises themselves, so each is one attempt: cy." in done.stderr
    assert "No attempts, since they are no folder, zip, tar, notebook or .py file: ada/notes.txt." in done.stderr


def test_pages_and_table_show_the_attempt(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, done = graded
    assert "attempt 3 of 3" in done.stdout
    assert "attempt 3 of 3" in (out / "class.html").read_text("utf-8")
    assert "This is attempt 1 of 2. The last attempt in which an exercise" in (out / "learner-bo.html").read_text()


def test_exports_have_the_attempt(out: Path, course_root: Path, kata: Run) -> None:
    done = kata("export", out, "--format", "csv", "--to", "-", "--course", course_root, cwd=course_root)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["attempt"], row["attempts"]) for row in rows] == [("3", "3"), ("1", "2"), ("1", "1")]


def test_policy_chooses_anew_without_grading(out: Path, best: Path, kata: Run) -> None:
    before = (out / "attempts" / "results.jsonl").read_bytes()
    done = kata("policy", out, "--course", best, cwd=best)
    assert done.returncode == 0, done.stderr
    assert which(out) == {"ada": ("2", 2, 3), "bo": ("first", 1, 2), "cy": None}
    assert (out / "attempts" / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_resumed_run_grades_only_a_new_attempt_and_takes_the_policy(
    out: Path, best: Path, handed_in: Path, hand_in: HandIn, kata: Run, tmp_path: Path
) -> None:
    before = records(out / "attempts")
    later = Path(shutil.copytree(handed_in, tmp_path / "class"))
    hand_in(later / "bo", "third", right=False)
    done = kata("grade-class", later, "--attempts", "--out", out, "--resume", *TERMS, "--course", best, cwd=best)
    assert done.returncode == 0, done.stderr
    assert which(out) == {"ada": ("2", 2, 3), "bo": ("first", 1, 3), "cy": None}
    after = records(out / "attempts")
    assert set(after) - set(before) == {"bo/third"}
    assert {name: after[name] for name in before} == before  # the seconds too


def test_times_say_which_is_the_last(out: Path, course_root: Path, kata: Run, tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(TIMES)
    done = kata("policy", out, "--handed-in", tmp_path / "times.csv", "--course", course_root, cwd=course_root)
    assert done.returncode == 0, done.stderr
    assert which(out)["ada"] == ("2", 3, 3)
    assert done.stderr.splitlines() == ["cy, attempt 7, has a hand-in time, but is nobody in this class."]
    assert kata("policy", out, "--course", course_root, cwd=course_root).returncode == 0
    assert which(out)["ada"] == ("2", 3, 3), "the times are kept"


def test_each_attempt_is_late_by_its_own_time(out: Path, best: Path, kata: Run, tmp_path: Path) -> None:
    due = "  due: {01_parts: 2026-03-01 10:00Z}\n  late_percent_per_day: 50\n"
    with (best / "course.yml").open("a") as file:
        file.write(due)
    (tmp_path / "times.csv").write_text(TIMES.replace("ada,2,2026-03-01", "ada,2,2026-03-09"))
    done = kata("policy", out, "--handed-in", tmp_path / "times.csv", "--course", best, cwd=best)
    assert done.returncode == 0, done.stderr
    # nothing is left of the right answer
    raw = records(out / "attempts")
    assert raw["ada/2"].points > raw["ada/1"].points > 0
    assert which(out)["ada"] == ("1", 1, 3)
    assert kata("policy", out, "--raw", "--course", best, cwd=best).returncode == 0
    assert which(out)["ada"] == ("2", 3, 3)
    assert not any(record.is_adjusted for record in records(out).values())


def test_hints_cost_the_same_in_every_attempt(out: Path, best: Path, kata: Run, tmp_path: Path) -> None:
    with (best / "course.yml").open("a") as file:
        file.write("  hints_cost_points: 0.25\n")
    (tmp_path / "hints.csv").write_text("learner,exercise,hints\nada,share,3\nzed,share,2\n")
    raw = records(out / "attempts")
    done = kata("policy", out, "--hints", tmp_path / "hints.csv", "--course", best, cwd=best)
    assert (done.returncode, done.stderr) == (0, "zed has opened hints, but is nobody in this class.\n")
    assert which(out)["ada"] == ("2", 2, 3)
    assert records(out)["ada"].final_points == raw["ada/2"].points - 0.5

    catalogue = best / "course.yml"
    catalogue.write_text(catalogue.read_text().replace("attempts: best", "attempts: last"))
    assert kata("policy", out, "--course", best, cwd=best).returncode == 0
    assert which(out)["ada"] == ("10", 3, 3)
    assert records(out)["ada"].final_points == raw["ada/10"].points - 0.5, "the hints are kept"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "then"),
    [pytest.param(["--attempts"], [], id="graded with"), pytest.param([], ["--attempts"], id="graded without")],
)
def test_folder_of_a_class_that_was_graded_the_other_way_is_refused(
    first: list[str], then: list[str], handed_in: Path, course_root: Path, kata: Run, tmp_path: Path
) -> None:
    command = ["grade-class", handed_in, "--out", tmp_path / "out", *TERMS, "--course", course_root]
    assert kata(*command, *first, cwd=course_root).returncode == 0
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    done = kata(*command, *then, cwd=course_root)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "--attempts" in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before


def test_attempts_are_in_natural_order() -> None:
    names = ["10", "try 2", "2", "try 10", "Try 1", "1"]
    assert sorted(names, key=in_order) == ["1", "2", "10", "Try 1", "try 2", "try 10"]


def test_attempts_may_be_of_any_kind(course: Course, hand_in: HandIn, tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", "1")
    for name in ("2.zip", "3.ipynb", "4.py", "1.zip", ".hidden", "README.md"):
        (tmp_path / "ada" / name).write_bytes(b"")
    (tmp_path / "bo.zip").write_bytes(b"")
    (tmp_path / "cy").mkdir()
    (tmp_path / "cy" / "only.zip").write_bytes(b"")
    os.symlink("ada", tmp_path / "link")
    found = attempts_of(members(entries(find_submissions(tmp_path))), course)
    names = ["ada/1", "ada/1.zip", "ada/2", "ada/3", "ada/4", "bo/1", "cy/only", "link/1"]
    assert [entry.name for entry in found.entries] == names
    assert found.remarks == ()


@pytest.mark.thorough
def test_stopped_run_goes_on_with_the_attempts_that_are_left(
    out: Path, handed_in: Path, course_root: Path, kata: Run
) -> None:
    whole, chosen = records(out / "attempts"), records(out)
    lines = (out / "attempts" / "results.jsonl").read_bytes().splitlines(keepends=True)
    (out / "attempts" / "results.jsonl").write_bytes(b"".join([*lines[:2], lines[2][:50]]))
    for name in ("results.jsonl", "class.jsonl"):
        (out / name).unlink()

    so_far = kata("policy", out, "--course", course_root, cwd=course_root)
    assert so_far.returncode == 0, so_far.stderr
    assert which(out) == {"ada": ("2", 2, 2)}
    assert "Not graded yet, so they do not count so far: ada/10, bo/first, bo/second, cy/1." in so_far.stderr

    terms = ["--isolation", "best", "--jobs", 1]  # the seed is the earlier run's
    done = kata(
        *("grade-class", handed_in, "--attempts", "--out", out, "--resume", *terms, "--course", course_root),
        cwd=course_root,
    )
    assert done.returncode == 0, done.stderr
    assert [*map(without_timings, records(out / "attempts").values())] == [*map(without_timings, whole.values())]
    assert [*map(without_timings, records(out).values())] == [*map(without_timings, chosen.values())]
