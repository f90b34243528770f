"""`kata override`: points set by hand, with a reason, that stay and can be taken back."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.results import read_results
from grader.classroom.store import reading
from grader.record import Record

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
LATE = """\
policy:
  due: {01_parts: 2026-03-01 12:00 +00:00}
  late_percent_per_day: 50
"""


@pytest.fixture
def root(tmp_path: Path, make_course: Callable[..., Path], kata: Kata) -> Path:
    """A course without a policy, and a graded class of two: ada's is wrong, bo's is right."""
    root = make_course(tmp_path / "course", "01_parts/01_share")
    for name, source in (("ada", WRONG), ("bo", RIGHT)):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(source.format(id="share"), "utf-8")
    assert graded(kata, root).returncode == 0
    return root


def graded(kata: Kata, root: Path, *arguments: object) -> Done:
    terms = ("--out", "out", "--isolation", "best", "--jobs", 1)
    return kata("grade-class", "class", *terms, *arguments, cwd=root)


def records(out: Path) -> dict[str, Record]:
    return {each.learner.id: each.record for each in read_results(out)}


def set_points(kata: Kata, root: Path, points: object = 3, reason: str = "The check was unfair.") -> Done:
    done = kata("override", "out", "ada", "share", points, "--reason", reason, cwd=root)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.thorough
def test_dispute_keeps_the_record_and_what_was_set_by_hand_until_it_is_settled(root: Path, kata: Kata) -> None:
    set_points(kata, root)
    before = records(root / "out")
    (root / "class" / "Ada").mkdir()
    (root / "class" / "Ada" / "share.py").write_text(RIGHT.format(id="share"), "utf-8")
    torn = graded(kata, root, "--resume", "--html")
    assert torn.returncode == 2 and "fill the column learner" in torn.stderr
    assert records(root / "out") == before, "nobody knows whose the new one is"
    assert "nobody knows whose they are" in (root / "out" / "class.html").read_text("utf-8")
    shutil.rmtree(root / "class" / "Ada")
    settled = graded(kata, root, "--resume")
    assert settled.returncode == 0, settled.stderr
    assert records(root / "out") == before


def test_points_count_with_their_reason_in_record_page_table_and_exports(root: Path, kata: Kata) -> None:
    raw = records(root / "out")["ada"].points
    done = set_points(kata, root)
    assert f"ada, share: {raw:g} -> 3 points." in done.stdout
    ada, bo = records(root / "out").values()
    assert (ada.points, ada.final_points, ada.final_max_points) == (raw, 3, 4)
    assert [each.reason for each in ada.adjustments or ()] == [
        f"share: set by hand from {raw:g} to 3 points: The check was unfair."
    ]
    assert (bo.final_points, bo.adjustments) == (4, ())
    assert "Exported before this" not in done.stderr
    again = graded(kata, root, "--resume", "--html")
    assert again.returncode == 0 and "3 / 4" in again.stdout
    assert "The check was unfair." in (root / "out" / "learner-ada.html").read_text("utf-8")
    exported = kata("export", "out", "--format", "csv", "--to", "-", cwd=root)
    assert "not applied" not in exported.stderr
    rows = list(csv.DictReader(exported.stdout.splitlines()))
    assert [row["points"] for row in rows] == ["3", "4"] and "The check was unfair." in exported.stdout


@pytest.mark.thorough
def test_it_stays_when_a_run_goes_on_and_is_of_the_earlier_grading_when_the_class_is_graded_anew(
    root: Path, kata: Kata
) -> None:
    set_points(kata, root)
    assert graded(kata, root, "--resume").returncode == 0
    assert records(root / "out")["ada"].final_points == 3
    anew = graded(kata, root, "--anew")
    assert anew.returncode == 0, anew.stderr
    assert not records(root / "out")["ada"].is_adjusted
    with reading(root / "out") as store:
        assert store.overrides(store.runs()[0])["ada"]["share"].points == 3


@pytest.mark.thorough
def test_later_one_counts_and_can_be_taken_back(root: Path, kata: Kata) -> None:
    set_points(kata, root)
    set_points(kata, root, 2.5, "Half of it.")
    assert records(root / "out")["ada"].final_points == 2.5
    set_points(kata, root, "back", "My mistake.")
    assert not records(root / "out")["ada"].is_adjusted


@pytest.mark.thorough
def test_it_comes_after_lateness(root: Path, kata: Kata) -> None:
    text = (root / "course.yml").read_text("utf-8")
    (root / "course.yml").write_text(text.replace("documents:\n", f"{LATE}documents:\n", 1), "utf-8")
    late = "id,handed_in\nada,2026-03-01 13:00 +00:00\nbo,2026-03-01 13:00 +00:00\n"
    (root / "roster.csv").write_text(late, "utf-8")
    assert graded(kata, root, "--resume", "--roster", "roster.csv").returncode == 0
    set_points(kata, root)
    ada, bo = records(root / "out").values()
    assert (ada.final_points, bo.final_points) == (3, 2)


def test_it_touches_one_learner_whatever_course_is_installed_and_names_others_whose_points_changed(
    root: Path, kata: Kata
) -> None:
    """The course is that of the run: no due date gets lost with it. What course.yml has changed since is named."""
    assert graded(kata, root, "--resume", "--html").returncode == 0
    assert kata("export", "out", "--format", "csv", cwd=root).returncode == 0
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    text = (root / "course.yml").read_text("utf-8")
    (root / "course.yml").write_text(
        text.replace("documents:\n", "policy: {exempt: [share]}\ndocuments:\n", 1), "utf-8"
    )
    words = ("override", root / "out", "ada", "share", 3, "--reason", "Talked.")
    done = kata(*words, cwd=elsewhere, env={"KATA_COURSE": ""})
    assert done.returncode == 0, done.stderr
    assert "Final points also changed, since course.yml or the roster did: bo 4 -> 0." in done.stderr
    assert "Exported before this, so export it again: grades.csv." in done.stderr
    assert "Talked." in (root / "out" / "learner-ada.html").read_text("utf-8"), "pages are written again"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("zed", "share", "3", "--reason", "x"), "is called 'zed'", id="learner"),
        pytest.param(("ada", "shire", "3", "--reason", "x"), "there is no exercise `shire`", id="exercise"),
        pytest.param(
            ("ada", "share", "5", "--reason", "x"), "a number from 0 to 4, or back; '5' is none.", id="too many"
        ),
        pytest.param(("ada", "share", "nan", "--reason", "x"), "'nan' is none.", id="no number"),
        pytest.param(("ada", "share", "3", "--reason", " "), "--reason must say why", id="no reason"),
    ],
)
def test_what_cannot_be_set_is_one_sentence_and_changes_nothing(
    arguments: tuple[str, ...], said: str, root: Path, kata: Kata
) -> None:
    before = (root / "out" / "results.jsonl").read_bytes()
    done = kata("override", "out", *arguments, cwd=root)
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (root / "out" / "results.jsonl").read_bytes() == before
