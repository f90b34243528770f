"""A unit that is graded again in mid-term: what a person has marked, what changed in the course, what was lost."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT = "01_parts"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
PARTLY = "def share(amounts):\n    return amounts / amounts.sum()\n"
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
        with self._book() as book:
            grade = book.find_grade(cell, UNIT, UNIT, learner)
            grade.manual_score, grade.needs_manual_grade = points, False
            book.db.commit()

    def waits(self, learner: str, cell: str = "reflection") -> bool:
        with self._book() as book:
            return bool(book.find_grade(cell, UNIT, UNIT, learner).needs_manual_grade)

    def total(self, learner: str) -> tuple[float, float]:
        with self._book() as book:
            submission = book.find_submission(UNIT, learner)
            return submission.score, submission.max_score

    def lateness(self, learner: str) -> tuple[float, float]:
        """Seconds, and the points that they cost."""
        with self._book() as book:
            submission = book.find_submission(UNIT, learner)
            return submission.total_seconds_late, submission.late_submission_penalty

    def rewrite(self, learner: str, **answers: str) -> None:
        path = self.folder.handed_in(learner, UNIT)
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            if (name := cell["metadata"].get("nbgrader", {}).get("grade_id")) in answers:
                cell["source"] = answers[name]
        path.write_text(json.dumps(notebook), "utf-8")

    def _book(self) -> Any:
        from nbgrader.api import Gradebook

        return Gradebook(f"sqlite:///{self.folder.root / 'gradebook.db'}")


@pytest.fixture(scope="module")
def graded_once(
    tmp_path_factory: pytest.TempPathFactory,
    make_course: Callable[..., Path],
    folder_at: Callable[[Path], Any],
    kata: Kata,
    edit: Any,
) -> Path:
    root = tmp_path_factory.mktemp("again")
    course = make_course(root / "tiny", "01_parts/01_share")
    assert kata("notebooks", root / "course", "--course", course, cwd=course).returncode == 0
    folder = folder_at(root / "course")
    folder.nbgrader("generate_assignment", UNIT)
    for learner, source in {"ada": RIGHT, "bo": PARTLY, "cyd": RIGHT}.items():
        answers = {"share": source, "reflection": f"{WORDS} Says {learner}."}
        folder.hand_in(learner, UNIT, edit.filled(folder.released(UNIT), answers))
    folder.nbgrader("autograde", UNIT)
    return root


@pytest.fixture
def again(graded_once: Path, tmp_path: Path, folder_at: Callable[[Path], Any], kata: Kata) -> Again:
    """A copy of its own."""
    copy = tmp_path / "copy"
    shutil.copytree(graded_once, copy)
    settings = copy / "course" / "nbgrader_config.json"
    settings.write_text(settings.read_text("utf-8").replace(str(graded_once), str(copy)), "utf-8")
    return Again(folder_at(copy / "course"), kata)


def test_marked_reflection_waits_again_only_where_it_changed(again: Again) -> None:
    for learner, points in {"ada": 2.0, "bo": 1.0}.items():
        again.mark(learner, points)
    again.rewrite("bo", reflection="Something else.")
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert [again.waits(each) for each in ("ada", "bo", "cyd")] == [False, True, True]
    assert again.total("ada") == (6, 6)
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert [again.waits(each) for each in ("ada", "bo", "cyd")] == [False, True, True], "nobody has looked since"


def test_lateness_is_counted_from_the_time_beside_the_notebook(again: Again) -> None:
    times = {"ada": "2026-03-01 11:14:00 UTC", "bo": "2026-03-01 10:00:00 UTC"}
    for learner, moment in times.items():
        again.folder.handed_in(learner, UNIT).with_name("timestamp.txt").write_text(moment, "utf-8")
    with (again.folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    again.folder.nbgrader("db", "assignment", "add", UNIT, "--duedate=2026-03-01 11:00:00 UTC")
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert {each: again.lateness(each) for each in ("ada", "bo", "cyd")} == {
        "ada": (14 * 60, 4),
        "bo": (0, 0),
        "cyd": (0, 0),
    }


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


def test_relative_path_of_the_course_is_written_whole(again: Again) -> None:
    done = again.kata("notebooks", ".", "--course", "../tiny/course.yml", "--force")
    assert ".." not in (again.folder.root / "nbgrader_config.json").read_text("utf-8"), done.stdout
    again.folder.nbgrader("autograde", UNIT, "--force")
    assert again.folder.scores("cyd", UNIT)["test-share"] == 4


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
        config.write("c.CourseStep.seed = = 5\n")
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
    assert "Points were changed since this unit was released (share: 4 then, 8 now)." in log and "Traceback" not in log
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
    checks = course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"
    text = checks.read_text("utf-8")
    checks.write_text(text.replace("@points(2,", "@points(4,").replace("@points(1,", "@points(2,"), "utf-8")
