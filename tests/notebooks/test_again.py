"""A unit that is graded again in mid-term: what a person has marked, what changed in the course, what failed.

Where the grader itself fails there is no grade: never a zero, and never the end of the batch.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT = "01_parts"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
PARTLY = "def share(amounts):\n    return amounts / amounts.sum()\n"
BREAKS_THE_CHECK = "def share(amounts):\n    return amounts * 0 + 7\n"
WORDS = "Shares sum to one."

Kata = Callable[..., "subprocess.CompletedProcess[str]"]


class Again:
    """A course folder after its first grading, beside its course."""

    def __init__(self, folder: Any, kata: Kata) -> None:
        self.folder, self._kata = folder, kata
        self.course: Path = folder.root.parent / "tiny"

    def kata(self, *command: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = self._kata(*command, cwd=self.folder.root)
        assert done.returncode == status, done.stderr
        return done

    def mark(self, learner: str, points: float, cell: str = "reflection") -> None:
        """Mark it, as formgrader does."""
        with self.folder.book() as book:
            grade = book.find_grade(cell, UNIT, UNIT, learner)
            grade.manual_score, grade.needs_manual_grade = points, False
            book.db.commit()

    def waits(self, learner: str, cell: str = "reflection") -> bool:
        with self.folder.book() as book:
            return bool(book.find_grade(cell, UNIT, UNIT, learner).needs_manual_grade)

    def total(self, learner: str) -> tuple[float, float]:
        with self.folder.book() as book:
            submission = book.find_submission(UNIT, learner)
            return submission.score, submission.max_score

    def lateness(self, learner: str) -> tuple[float, float]:
        """Seconds, and the points that they cost."""
        with self.folder.book() as book:
            submission = book.find_submission(UNIT, learner)
            return submission.total_seconds_late, submission.late_submission_penalty

    def rewrite(self, learner: str, **answers: str) -> None:
        path = self.folder.handed_in(learner, UNIT)
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            if (name := cell["metadata"].get("nbgrader", {}).get("grade_id")) in answers:
                cell["source"] = answers[name]
        path.write_text(json.dumps(notebook), "utf-8")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, released_at: Callable[..., Any], edit: Any) -> tuple[Any, str]:
    """A folder after its first grading, with the log. What Dan hands in breaks a check."""
    root = tmp_path_factory.mktemp("again")
    folder = released_at(root, "--reflection")
    checks = checks_of(root / "tiny")
    text = checks.read_text("utf-8")
    assert "    expect(parts" in text
    checks.write_text(text.replace("    expect(parts", "    assert float(parts[0]) != 7\n    expect(parts"), "utf-8")
    for learner, source in {"ada": RIGHT, "bo": PARTLY, "cyd": RIGHT, "dan": BREAKS_THE_CHECK}.items():
        answers = {"share": source, "reflection": f"{WORDS} Says {learner}."}
        folder.hand_in(learner, UNIT, edit.filled(folder.released(UNIT), answers))
    return folder, folder.nbgrader("autograde", UNIT, status=1).stderr


def checks_of(course: Path) -> Path:
    return course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"


@pytest.fixture
def again(first: tuple[Any, str], tmp_path: Path, kata: Kata) -> Again:
    """A copy of its own, without Dan."""
    again = Again(first[0].moved_to(tmp_path / "copy"), kata)
    again.folder.handed_in("dan", UNIT).unlink()
    return again


def test_broken_check_fails_one_submission_and_the_batch_goes_on(first: tuple[Any, str]) -> None:
    folder, log = first
    assert "The grader itself failed, so there is no grade: share, test_example" in log
    assert [folder.scores(student, UNIT)["test-share"] for student in ("ada", "cyd")] == [4, 4]
    assert "dan" not in folder.students() and not (folder.root / "autograded" / "dan").exists()


def test_marked_reflection_waits_again_only_where_it_changed(again: Again) -> None:
    for learner, points in {"ada": 2.0, "bo": 1.0}.items():
        again.mark(learner, points)
    again.rewrite("bo", reflection="Something else.")
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert [again.waits(each) for each in ("ada", "bo", "cyd")] == [False, True, True]
    assert again.total("ada") == (6, 6)
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert [again.waits(each) for each in ("ada", "bo", "cyd")] == [False, True, True], "nobody has looked since"


TIMES = {"ada": "2026-03-01 11:14:00 UTC", "bo": "2026-03-01 10:00:00 UTC", "cyd": "2026-03-03 11:00:00 UTC"}


@pytest.fixture
def late(again: Again) -> Again:
    for learner, moment in TIMES.items():
        again.folder.handed_in(learner, UNIT).with_name("timestamp.txt").write_text(moment, "utf-8")
    return again


def test_lateness_costs_what_course_yml_says(late: Again) -> None:
    with (late.course / "course.yml").open("a", encoding="utf-8") as course:
        course.write(f'policy:\n  due: {{{UNIT}: "2026-03-01 12:00:00+01:00"}}\n  late_percent_per_day: 10\n')
    late.mark("cyd", 3.0, "test-share")
    log = late.folder.nbgrader("autograde", UNIT, "--force").stderr
    assert {each: late.lateness(each) for each in TIMES} == {
        "ada": (14 * 60, 0.4),
        "bo": (0, 0),
        "cyd": (2 * 24 * 3600, 0),  # a mark that a person gave counts as it is
    }
    assert "3.6 / 6, not all read  14 minutes: -0.4" in log
    late.folder.nbgrader("generate_feedback", UNIT)
    page = late.folder.feedback("ada", UNIT)
    assert "Handed in 14 minutes late: 0.4 points are taken off." in page and "<b>3.6</b> of 6 points so far" in page
    assert "Looking back is not read yet: up to 2 points more. The total is provisional." in page


def test_lateness_is_nbgraders_own_where_course_yml_gives_no_due_date(late: Again) -> None:
    with (late.folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    late.folder.nbgrader("db", "assignment", "add", UNIT, "--duedate=2026-03-01 11:00:00 UTC")
    late.folder.nbgrader("autograde", UNIT, "--force")
    assert {each: late.lateness(each)[0] for each in TIMES} == {"ada": 14 * 60, "bo": 0, "cyd": 2 * 24 * 3600}
    assert [late.lateness(each)[1] for each in TIMES] == [4, 0, 4]


def test_newer_hand_in_with_the_same_words_keeps_its_mark(again: Again) -> None:
    again.mark("ada", 2.0)
    again.rewrite("ada", share=PARTLY)
    again.folder.handed_in("ada", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC", "utf-8")
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert not again.waits("ada")


def test_points_typed_over_the_judges_wait_again_only_where_something_changed(again: Again) -> None:
    for learner in ("ada", "bo", "cyd"):
        again.mark(learner, 3.0, "test-share")
    again.rewrite("bo", share=RIGHT)
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert [again.waits(each, "test-share") for each in ("ada", "bo", "cyd")] == [False, True, False]


def test_cut_off_notebook_is_told_in_the_log_and_to_the_learner(again: Again) -> None:
    path = again.folder.handed_in("bo", UNIT)
    path.write_text(path.read_text("utf-8")[:700], "utf-8")
    log = again.folder.nbgrader("autograde", UNIT, "--force").stderr
    (line,) = [line for line in log.splitlines() if "Not taken of" in line]
    why = f"{UNIT}.ipynb is damaged or not a notebook; open it in Jupyter and save it again"
    assert f"submitted/bo/{UNIT}/{UNIT}.ipynb: {why}" in line
    again.folder.nbgrader("generate_feedback", UNIT)
    assert why in again.folder.feedback("bo", UNIT)


# --- what changed in the course ---------------------------------------------------------------------------------


def in_autograded(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted((root / "autograded").rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["autograde", UNIT, "--force"], id="everybody"),
        pytest.param(["autograde", UNIT, "--force", "--student", "ada"], id="one learner"),
    ],
)
def test_course_that_is_gone_costs_nothing(again: Again, command: list[str]) -> None:
    before = in_autograded(again.folder.root)
    again.course.rename(again.course.with_name("moved"))
    log = again.folder.nbgrader(*command, status=1).stderr
    assert f"Nobody was graded. There is no course at {again.course / 'course.yml'}" in log and "Traceback" not in log
    assert in_autograded(again.folder.root) == before and len(before) == 9


def test_course_that_learners_code_could_read_grades_nobody(again: Again) -> None:
    before = in_autograded(again.folder.root)
    with tempfile.TemporaryDirectory(prefix="attention-kata-", dir=sys.prefix) as shown:
        moved = Path(shutil.move(again.course, Path(shown) / "tiny"))
        settings = again.folder.root / "nbgrader_config.json"
        settings.write_text(settings.read_text("utf-8").replace(str(again.course), str(moved)), "utf-8")
        log = again.folder.nbgrader("autograde", UNIT, "--force", status=1).stderr
    assert "Nobody was graded. Learners' code can read" in log and "No grade was recorded." in log
    assert in_autograded(again.folder.root) == before


def test_settings_with_dots_in_the_path_are_understood(again: Again) -> None:
    settings = again.folder.root / "nbgrader_config.json"
    dotted = again.folder.root / ".." / "tiny"
    settings.write_text(settings.read_text("utf-8").replace(str(again.course), str(dotted)), "utf-8")
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert again.folder.scores("cyd", UNIT)["test-share"] == 4


HOSTILE = f"""\
{RIGHT}
try:
    open({{place!r}}, "w").close()
except OSError:
    pass
"""


def test_error_in_own_settings_lets_no_code_past_the_wall(again: Again) -> None:
    """nbgrader passes over such a file and goes on without it."""
    with (again.folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.KataAutograde.seed = = 5\n")
    place = again.folder.root / "was-here"
    again.rewrite("cyd", share=HOSTILE.format(place=str(place)))
    log = again.folder.nbgrader("autograde", UNIT, "--force").stderr
    assert "Exception while loading config file" in log
    assert not place.exists()
    assert again.folder.scores("cyd", UNIT)["test-share"] == 4


def test_changed_points_are_refused_with_the_commands_that_bring_them_in(again: Again) -> None:
    before = in_autograded(again.folder.root)
    again.mark("ada", 2.0)
    _make_worth(again.course, 8)
    log = again.folder.nbgrader("autograde", UNIT, "--force", status=1).stderr
    assert (
        "Points were changed since this assignment was released (share: 4 then, 8 now)." in log
        and "Traceback" not in log
    )
    assert in_autograded(again.folder.root) == before
    assert again.total("ada") == (6, 6)
    commands = [line.split() for line in log.splitlines() if line.strip().startswith(("kata ", "nbgrader "))]
    assert [command[1] for command in commands] == ["notebooks", "generate_assignment", "autograde"]
    for program, *words in commands:
        again.kata(*words) if program == "kata" else again.folder.nbgrader(*words)
    assert again.total("ada") == (10, 10), "and what a person gave is still there"
    assert again.total("bo")[1] == 10


def _make_worth(course: Path, points: int) -> None:
    """Points that were doubled, in the catalogue and in the checks."""
    catalogue = course / "course.yml"
    text = catalogue.read_text("utf-8")
    assert text.count("points: 4") == 1
    catalogue.write_text(text.replace("points: 4", f"points: {points}"), "utf-8")
    checks = checks_of(course)
    text = checks.read_text("utf-8")
    checks.write_text(text.replace("@points(2,", "@points(4,").replace("@points(1,", "@points(2,"), "utf-8")


# --- what fails ---------------------------------------------------------------------------------------------------


def fails(again: Again, *options: str, **env: str) -> str:
    """The log of grading everybody again, of which nothing may come: whatever was graded before is left as it was."""
    before = in_autograded(again.folder.root)
    log = again.folder.nbgrader("autograde", UNIT, "--force", *options, status=1, **env).stderr
    assert in_autograded(again.folder.root) == before and before
    assert again.folder.scores("ada", UNIT)["test-share"] == 4
    assert "Traceback" not in log and f"Nobody's {UNIT} was graded." in log
    return str(log)


def test_reference_that_does_not_get_full_marks(again: Again) -> None:
    solution = again.course / "solutions" / "01_parts" / "01_share.py"
    wrong = solution.read_text("utf-8").replace("return amounts / total", "return total / amounts")
    solution.write_text(wrong, "utf-8")
    assert "The reference solution does not get full marks here: share (" in fails(again)


def test_machine_that_cannot_isolate(again: Again) -> None:
    path = str(Path(sys.executable).parent)  # without bubblewrap
    log = fails(again, PATH=path)
    assert "This machine cannot isolate submissions (missing: bubblewrap is not installed)." in log


def test_checks_that_cannot_be_loaded(again: Again) -> None:
    again.folder.handed_in("ada", UNIT).with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC", "utf-8")
    checks = checks_of(again.course)
    right = checks.read_bytes()
    checks.write_text("raise RuntimeError\n", "utf-8")
    assert "hidden checks could not be collected" in fails(again)
    checks.write_bytes(right)
    log = again.folder.nbgrader("autograde", UNIT).stderr
    assert "2030-01-01" in log, "the newer hand-in is still taken for one that is not graded"


def test_released_notebook_that_is_gone(again: Again) -> None:
    (again.folder.root / "release" / UNIT / f"{UNIT}.ipynb").unlink()
    assert "run `nbgrader generate_assignment` first" in fails(again)


def test_test_cell_of_no_exercise_is_refused_not_given_full_marks(again: Again, edit: Any) -> None:
    path = again.folder.root / "release" / UNIT / f"{UNIT}.ipynb"
    source = again.folder.released(UNIT)
    own = json.loads(json.dumps(edit.cell(source, "test-share")))
    own["id"] = own["metadata"]["nbgrader"]["grade_id"] = "own-test"
    source["cells"].append(own)
    path.write_text(json.dumps(source), "utf-8")
    assert "These test cells are of no exercise, so there are no checks for them: own-test." in fails(again)


def test_notebook_under_another_name_is_not_graded_and_told_the_name(again: Again) -> None:
    path = again.folder.handed_in("dan", UNIT).with_name("mine.ipynb")
    path.write_text(json.dumps(again.folder.released(UNIT)), "utf-8")
    log = again.folder.nbgrader("autograde", UNIT, "--student", "dan", status=1).stderr
    assert f"submitted/dan/{UNIT} holds no notebook of a name that was released: {UNIT}.ipynb." in log


def test_judge_that_is_killed_costs_no_grade(again: Again, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.course import load_course
    from grader.intake import SourceFile, Submission
    from grader.notebooks.autograde import graded_by, trusted_judge
    from grader.record import Record
    from grader.service.client import running_judges

    monkeypatch.setenv("KATA_SERVICE", "1")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    course = load_course(again.course / "course.yml")
    submission = Submission("ada", {"share": SourceFile("share", "share", RIGHT.encode())}, ())

    records: list[Record] = []
    try:
        with trusted_judge(course, course.exercises, "full", 5) as judge:
            records.append(graded_by(judge, submission))
            for each in running_judges():
                os.kill(each.pid, signal.SIGKILL)
            records.append(graded_by(judge, submission))
    finally:
        assert len(running_judges(end=True)) == 1
    assert [record.points for record in records] == [4, 4]
