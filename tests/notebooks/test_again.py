"""A unit that is graded again in mid-term: what a person has marked, what changed in the course, what failed.

Where the grader itself fails there is no grade: never a zero, and never the end of the batch.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbgrader.converters.base import NbGraderException

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.notebooks.autograde import graded_by, trusted_judge
from grader.service.client import running_judges
from tests.cases import rows, table

from .conftest import RIGHT, UNIT, Edit, Folder, read

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

SHARE = RIGHT.format(id="share")
PARTLY = "def share(amounts):\n    return amounts / amounts.sum()\n"
BREAKS_THE_CHECK = "def share(amounts):\n    return amounts * 0 + 7\n"
CHECKS = f"tests/kits/{UNIT}/01_share/checks.py"
WORDS = "Shares sum to one."


@pytest.fixture(scope="module", autouse=True)
def warm_judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One judge for all that is graded with the same course."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("KATA_SERVICE", "1")
        changed.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("judges")))
        yield
        running_judges(end=True)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, released_at: Callable[..., Folder]) -> tuple[Folder, str]:
    """A folder after its first grading, with the log. What Dan hands in breaks a check."""
    folder = released_at(tmp_path_factory.mktemp("again"), "--reflection")
    change(folder.course / CHECKS, "    expect(parts", "    assert float(parts[0]) != 7\n    expect(parts")
    for learner, source in {"ada": SHARE, "bo": PARTLY, "cyd": SHARE, "dan": BREAKS_THE_CHECK}.items():
        answers = {"share": source, "reflection": f"{WORDS} Says {learner}."}
        folder.hand_in(learner, UNIT, Edit.filled(folder.released(UNIT), answers))
    return folder, folder.nbgrader("autograde", UNIT, status=1).stderr


@pytest.fixture
def again(first: tuple[Folder, str], tmp_path: Path) -> Folder:
    """A copy of the folder, without Dan's notebook."""
    folder = first[0].copied_to(tmp_path / "again")
    folder.handed_in("dan", UNIT).unlink()
    return folder


@pytest.fixture
def course(again: Folder, tmp_path: Path) -> Path:
    """A copy of the course for this folder, to break."""
    copied = Path(shutil.copytree(again.course, tmp_path / "course"))
    change(again.root / "nbgrader_config.json", str(again.course), str(copied))
    return copied


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def mark(folder: Folder, learner: str, points: float, cell: str = "reflection") -> None:
    """Mark it, as formgrader does."""
    with folder.book() as book:
        grade = book.find_grade(cell, UNIT, UNIT, learner)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def waiting(folder: Folder, cell: str = "reflection") -> set[str]:
    """Whose cell waits for a person."""
    with folder.book() as book:
        found = {each.student.id for each in book.assignment_submissions(UNIT)}
        return {each for each in found if book.find_grade(cell, UNIT, UNIT, each).needs_manual_grade}


def total(folder: Folder, learner: str) -> tuple[float, float]:
    with folder.book() as book:
        submission = book.find_submission(UNIT, learner)
        return submission.score, submission.max_score


def rewrite(folder: Folder, learner: str, **answers: str) -> None:
    path = folder.handed_in(learner, UNIT)
    path.write_text(json.dumps(Edit.filled(read(path), answers)), "utf-8")


def in_autograded(folder: Folder) -> dict[str, bytes]:
    paths = sorted((folder.root / "autograded").rglob("*"))
    return {path.relative_to(folder.root).as_posix(): path.read_bytes() for path in paths if path.is_file()}


# --- what a person has marked ---------------------------------------------------------------------------------------


def test_broken_check_fails_one_submission_and_the_batch_goes_on(first: tuple[Folder, str]) -> None:
    folder, log = first
    assert "has no grade, since the grader itself failed: share, test_example" in log
    assert {each: folder.scores(each, UNIT)["test-share"] for each in ("ada", "bo", "cyd")} == {
        "ada": 4, "bo": 1, "cyd": 4
    }  # fmt: skip
    assert not (folder.root / "autograded" / "dan").exists() and "dan" not in folder.students()


def test_mark_by_hand_stays_and_waits_again_only_where_something_changed(
    again: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    for learner in ("ada", "bo", "cyd"):
        mark(again, learner, 2.0)
        mark(again, learner, 3.0, "test-share")
    rewrite(again, "ada", share=f"{SHARE}\n# the same\n")
    again.handed_in("ada", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC", "utf-8")
    rewrite(again, "bo", share=SHARE, reflection="Other words.")
    again.autograde()
    assert waiting(again) == {"bo"} and waiting(again, "test-share") == {"ada", "bo"}
    assert {total(again, learner) for learner in ("ada", "bo", "cyd")} == {(5, 6)}
    again.autograde()
    assert waiting(again) == {"bo"}, "nobody has looked since"


def test_submission_is_graded_again_when_it_is_newer_and_else_left_as_it_was(
    again: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    before = in_autograded(again)
    rewrite(again, "ada", share=PARTLY)
    caplog.set_level("INFO")
    again.autograde(force=False)
    assert in_autograded(again) == before
    assert "Graded before and left as it was: 3. With --force it is graded again." in caplog.text
    again.handed_in("ada", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC", "utf-8")
    again.autograde(force=False)
    assert [again.scores(learner, UNIT)["test-share"] for learner in ("ada", "cyd")] == [1, 4]


TIMES = {"ada": "2026-03-01 11:14:00 UTC", "bo": "2026-03-01 10:00:00 UTC", "cyd": "2026-03-03 11:00:00 UTC"}


def lateness(folder: Folder) -> dict[str, tuple[float, float]]:
    """Seconds, and the points that they cost."""
    with folder.book() as book:
        submissions = {each: book.find_submission(UNIT, each) for each in TIMES}
        return {each: (found.total_seconds_late, found.late_submission_penalty) for each, found in submissions.items()}


@pytest.fixture
def late(again: Folder) -> Folder:
    for learner, moment in TIMES.items():
        again.handed_in(learner, UNIT).with_name("timestamp.txt").write_text(moment, "utf-8")
    return again


def test_lateness_costs_what_course_yml_says(late: Folder, course: Path) -> None:
    with (course / "course.yml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(f'policy:\n  due: {{{UNIT}: "2026-03-01 12:00:00+01:00"}}\n  late_percent_per_day: 10\n')
    mark(late, "cyd", 3.0, "test-share")
    late.autograde()
    assert lateness(late) == {
        "ada": (14 * 60, 0.4),
        "bo": (0, 0),
        "cyd": (2 * 24 * 3600, 0),  # a mark that a person gave counts as it is
    }
    late.nbgrader("generate_feedback", UNIT)
    page = late.feedback("ada", UNIT)
    assert "Handed in 14 minutes late: 0.4 points are taken off." in page and "<b>3.6</b> of 6 points so far" in page
    assert "Looking back is not read yet: up to 2 points more. The total is provisional." in page


def test_lateness_is_nbgraders_own_where_course_yml_gives_no_due_date(late: Folder) -> None:
    with (late.root / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    late.nbgrader("db", "assignment", "add", UNIT, "--duedate=2026-03-01 11:00:00 UTC")
    late.nbgrader("autograde", UNIT, "--force")
    assert lateness(late) == {"ada": (14 * 60, 4), "bo": (0, 0), "cyd": (2 * 24 * 3600, 4)}


# --- what changed in the course -------------------------------------------------------------------------------------


def test_settings_with_dots_in_the_path_are_understood(again: Folder, course: Path) -> None:
    change(again.root / "nbgrader_config.json", str(course), str(again.root / ".." / "course"))
    again.autograde(student="cyd")
    assert again.scores("cyd", UNIT)["test-share"] == 4


HOSTILE = f"""\
{SHARE}
try:
    open({{place!r}}, "w").close()
except OSError:
    pass
"""


def test_error_in_own_settings_lets_no_code_past_the_wall(again: Folder) -> None:
    """nbgrader passes over such a file and goes on without it."""
    with (again.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.KataAutograde.seed = = 5\n")
    place = again.root / "was-here"
    rewrite(again, "cyd", share=HOSTILE.format(place=str(place)))
    log = again.nbgrader("autograde", UNIT, "--force").stderr
    assert "Exception while loading config file" in log
    assert not place.exists()
    assert again.scores("cyd", UNIT)["test-share"] == 4


def test_changed_points_are_refused_with_the_commands_that_bring_them_in(
    again: Folder, course: Path, kata: Callable[..., object], caplog: pytest.LogCaptureFixture
) -> None:
    before = in_autograded(again)
    mark(again, "ada", 2.0)
    change(course / "course.yml", "points: 4", "points: 8")
    change(course / CHECKS, "@points(2,", "@points(4,")
    change(course / CHECKS, "@points(1,", "@points(2,")
    with pytest.raises(NbGraderException):
        again.autograde()
    assert "Points were changed since this assignment was released (share: 4 then, 8 now)." in caplog.text
    assert in_autograded(again) == before and total(again, "ada") == (6, 6)
    commands = [f"nbgrader {each} {UNIT} --force" for each in ("generate_assignment", "autograde")]
    assert "then `{}` and `{}`".format(*commands) in caplog.text
    assert kata("notebooks", again.root, "--course", course, "--reflection", cwd=again.root).returncode == 0
    for command in commands:
        again.nbgrader(*command.split()[1:])
    assert total(again, "ada") == (10, 10), "and what a person gave is still there"
    assert total(again, "bo")[1] == 10


# --- what fails -----------------------------------------------------------------------------------------------------


@rows(table(__file__, "fails.yml"), "file", "old", "new", "why")
def test_what_fails_costs_nobody_a_grade(
    file: str,
    old: str | None,
    new: str | None,
    why: str,
    again: Folder,
    course: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = in_autograded(again)
    if file == "PATH":
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))  # without bubblewrap
    elif old and new:
        change(tmp_path / file, old, new)
    else:
        (tmp_path / file).unlink()
        if new:
            (tmp_path / file).write_text(new, "utf-8")
    with pytest.raises(NbGraderException):
        again.autograde()
    assert why in caplog.text and ("Nobody was graded." in caplog.text or f"Nobody's {UNIT} was graded." in caplog.text)
    assert in_autograded(again) == before and len(before) == 9
    assert again.scores("ada", UNIT)["test-share"] == 4


@pytest.mark.parametrize("what", ["course", "exchange"])
def test_folder_that_learners_code_could_read_grades_nobody(
    what: str, again: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    before = in_autograded(again)
    with tempfile.TemporaryDirectory(prefix="attention-kata-", dir=sys.prefix) as shown:
        if what == "course":
            moved = shutil.copytree(again.course, Path(shown) / "tiny")
            change(again.root / "nbgrader_config.json", str(again.course), str(moved))
        else:
            settings = again.root / "nbgrader_config.json"
            settings.write_text(json.dumps({**json.loads(settings.read_text()), "Exchange": {"root": shown}}))
        with pytest.raises(NbGraderException):
            again.autograde()
    assert "Nobody was graded. Learners' code can read" in caplog.text and "No grade was recorded." in caplog.text
    assert in_autograded(again) == before


def test_notebook_under_another_name_is_not_graded_and_told_the_name(
    again: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    path = again.handed_in("dan", UNIT).with_name("mine.ipynb")
    path.write_text(json.dumps(again.released(UNIT)), "utf-8")
    with pytest.raises(NbGraderException):
        again.autograde(student="dan")
    assert f"submitted/dan/{UNIT} holds no notebook of a name that was released: {UNIT}.ipynb." in caplog.text


def test_judge_that_is_killed_costs_no_grade(again: Folder) -> None:
    course = load_course(again.course / "course.yml")
    submission = Submission("ada", {"share": SourceFile("share", "share", SHARE.encode())}, ())
    with trusted_judge(course, course.exercises, "full", 5) as judge:
        records = [graded_by(judge, submission)]
        for each in running_judges():
            os.kill(each.pid, signal.SIGKILL)
        records.append(graded_by(judge, submission))
    assert [record.points for record in records] == [4, 4]
