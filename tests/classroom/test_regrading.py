"""An exercise graded again for everybody after the course was mended: all else stays, and what moved is listed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import read_results
from grader.classroom.store import reading
from grader.course import Course, load_course
from grader.errors import KataError
from grader.record import ExerciseResult, Record

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

CHECKS = "tests/kits/01_parts/01_share/checks.py"
UNFAIR = 'expect("keepdim" in learner.source, "Write keepdim.")'
FAIR = 'learner.keeps_inputs(function("share", draw.uniform(3, 4, low=1.0), names=["amounts"]))'
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
PLAIN = "def {id}(amounts):\n    return amounts / amounts.sum(-1, True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def root(tmp_path: Path, make_course: Callable[..., Path]) -> Path:
    """A course whose first exercise has an unfair check, and a class of three; the second exercise is right for all."""
    root = make_course(tmp_path / "course", "01_parts/01_share", "02_more/01_split")
    _edit(root / CHECKS, FAIR, UNFAIR)
    for name, source in (("ada", PLAIN), ("bo", RIGHT), ("cy", WRONG)):
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "share.py").write_text(source.format(id="share"), "utf-8")
        (root / "class" / name / "split.py").write_text(RIGHT.format(id="split"), "utf-8")
    return root


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def mend(root: Path) -> None:
    """Make the unfair check fair."""
    _edit(root / CHECKS, UNFAIR, FAIR)


def graded(kata: Kata, root: Path, *arguments: object) -> Done:
    terms = ("--out", "out", "--isolation", "best", "--jobs", 1)
    return kata("grade-class", "class", *terms, *arguments, cwd=root)


def records(out: Path) -> dict[str, Record]:
    return {each.learner.id: each.record for each in read_results(out)}


def exercise(record: Record, id: str) -> ExerciseResult:
    return next(each for each in record.exercises if each.id == id)


@pytest.mark.thorough
def test_whoever_lost_points_to_an_unfair_check_gets_them_back_and_the_rest_stays(root: Path, kata: Kata) -> None:
    """The whole way: refused at first, with the command that does it; graded again; and then one goes on as before."""
    out = root / "out"
    assert graded(kata, root, "--seed", 5, "--html").returncode == 0
    before = records(out)
    shutil.copytree(out, root / "earlier")
    mend(root)
    refused = graded(kata, root, "--resume")
    assert refused.returncode == 2
    assert "of share were changed" in refused.stderr and "--resume --only share" in refused.stderr

    done = graded(kata, root, "--resume", "--only", "share", "--html")
    assert done.returncode == 0, done.stderr
    assert "  ada  share  3 -> 4  (the course)" in done.stdout.splitlines()
    assert "Points that moved: 1." in done.stdout
    after = records(out)
    for name, record in after.items():
        old = before[name]
        assert exercise(record, "split") == exercise(old, "split")
        assert (record.digest, record.seed) == (old.digest, old.seed)
    assert "4 / 4" in (out / "learner-ada.html").read_text("utf-8").replace("<b>4</b>", "4")

    calm = graded(kata, root, "--resume")
    assert calm.returncode == 0, calm.stderr
    assert records(out) == after and "moved" not in calm.stdout

    for words in (["earlier", "out"], ["out"]):
        told = kata("diff", *words, cwd=root)
        assert told.returncode == 0, told.stderr
        if words == ["out"]:  # of the last two runs the later moved nothing
            assert "0 differences, of 0 of 3 learners in both." in told.stdout
        else:
            assert "of share were changed" in told.stdout and "  ada  share  3 -> 4  (the course)" in told.stdout
            assert "1 difference, of 1 of 3 learners in both." in told.stdout


@pytest.mark.thorough
def test_another_file_is_named_as_what_changed_and_another_seed_is_refused(root: Path, kata: Kata) -> None:
    assert graded(kata, root, "--seed", 5).returncode == 0
    (root / "class" / "cy" / "share.py").write_text(RIGHT.format(id="share"), "utf-8")
    refused = graded(kata, root, "--resume", "--only", "share", "--seed", 6)
    assert refused.returncode == 2 and "the seed was 5 and is 6" in refused.stderr
    mend(root)
    done = graded(kata, root, "--resume", "--only", "share")
    assert done.returncode == 0, done.stderr
    assert "  cy  share  1 -> 4  (the course and what was handed in)" in done.stdout
    told = kata("explain", "out", "ada", "share", cwd=root)
    assert "ada: seed 5" in told.stdout


@pytest.mark.thorough
def test_broken_check_takes_no_points_away(root: Path, kata: Kata) -> None:
    assert graded(kata, root, "--seed", 5).returncode == 0
    before = records(root / "out")
    _edit(root / CHECKS, UNFAIR, "raise ZeroDivisionError")
    done = graded(kata, root, "--resume", "--only", "share")
    assert done.returncode == 3 and "the earlier points stay: ada, bo, cy" in done.stderr
    assert records(root / "out") == before
    _edit(root / CHECKS, "raise ZeroDivisionError", FAIR)
    assert graded(kata, root, "--resume", "--only", "share").returncode == 0
    assert exercise(records(root / "out")["ada"], "share").points == 4


@pytest.mark.thorough
def test_policy_is_applied_to_what_was_graded_again(root: Path, kata: Kata) -> None:
    _edit(root / "course.yml", 'title: "02_more"', "title: More\n    extra_credit: true")
    assert graded(kata, root, "--seed", 5).returncode == 0
    mend(root)
    assert graded(kata, root, "--resume", "--only", "share").returncode == 0
    ada = records(root / "out")["ada"]
    assert (ada.final_points, ada.final_max_points) == (8, 4)


@pytest.mark.thorough
def test_points_set_by_hand_are_no_move_and_what_they_cover_is_told(root: Path, kata: Kata) -> None:
    """The policy and what was set by hand are in the records before and after: neither is what moved points."""
    _edit(root / "course.yml", 'title: "02_more"', "title: More\n    extra_credit: true")
    assert graded(kata, root, "--seed", 5).returncode == 0
    for name, points in (("ada", 2), ("bo", 1)):
        done = kata("override", "out", name, "share", points, "--reason", "Talked with them.", cwd=root)
        assert done.returncode == 0, done.stderr
    mend(root)
    done = graded(kata, root, "--resume", "--only", "share")
    assert done.returncode == 0, done.stderr
    covered = "the course; what counts stays, by the policy or as it is set by hand"
    assert f"  ada  share  2 -> 2  ({covered})" in done.stdout and "Points that moved: 1." in done.stdout
    assert records(root / "out")["bo"].counted_points == 5


def test_versions_are_those_of_the_oldest_results_that_count(
    root: Path, loaded: Course, recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    generous(root)
    monkeypatch.setattr("grader.classroom.grading_terms.version", lambda name: f"another {name}")
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    assert [each.reason for each in run.result.moves] == [
        "the course and the version of numpy and the version of torch"
    ]
    with pytest.raises(KataError, match=r"torch was .* and is another torch"):
        recorded.run_class(loaded, root / "class", root / "out", resume=True)
    recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share", "split"))
    assert recorded.run_class(loaded, root / "class", root / "out", resume=True).graded == []


# --- with an executor that knows the answers ---------------------------------------------------------------------------


@pytest.fixture
def loaded(root: Path) -> Course:
    return load_course(root / "course.yml")


def generous(root: Path, id: str = "01_parts/01_share") -> None:
    path = root / "tests" / "kits" / id / "checks.py"
    path.write_text(path.read_text("utf-8") + "# generous\n", "utf-8")


def test_who_has_no_record_is_graded_too_on_every_exercise(
    root: Path, loaded: Course, recorded: Any, hand_in: Callable[..., Path], names_in: Callable[[Path], list[str]]
) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    hand_in(root / "class", "new")
    generous(root)
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    assert [(move.learner, move.exercise) for move in run.result.moves] == [("cy", "share")]
    assert names_in(root / "out") == ["ada", "bo", "cy", "new"]
    assert [each.id for each in records(root / "out")["new"].exercises] == ["share", "split"]
    assert recorded.run_class(loaded, root / "class", root / "out", resume=True).graded == []


def test_what_else_was_changed_is_named_and_keeps_others_from_going_on(
    root: Path, loaded: Course, recorded: Any
) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    generous(root)
    generous(root, "02_more/01_split")
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    assert "Changed as well, and not graded again: split. Add --only split." in run.remarks
    with pytest.raises(KataError, match="of split were changed"):
        recorded.run_class(loaded, root / "class", root / "out", resume=True)
    recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("split",))
    assert recorded.run_class(loaded, root / "class", root / "out", resume=True).graded == []


def test_record_of_a_submission_that_is_gone_stays_as_it_was(root: Path, loaded: Course, recorded: Any) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    before = records(root / "out")["cy"]
    shutil.rmtree(root / "class" / "cy")
    generous(root)
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    assert "cy is not among the submissions any more; the record is kept." in run.remarks
    assert records(root / "out")["cy"] == before


def test_exercise_that_was_not_chosen_at_first_is_added_and_nothing_else_is_graded(
    root: Path, loaded: Course, recorded: Any
) -> None:
    recorded.run_class(loaded, root / "class", root / "out", only=("split",))
    before = records(root / "out")["cy"]
    judge = recorded.Answering(loaded)
    recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",), executor=judge)
    assert judge.asked == [(name, ("share",)) for name in ("ada", "bo", "cy")]
    assert records(root / "out")["cy"].exercises[1:] == before.exercises


def test_only_the_exercise_that_a_learner_changed_is_graded_again(root: Path, loaded: Course, recorded: Any) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    (root / "class" / "bo" / "split.py").write_text(WRONG.format(id="split"), "utf-8")
    (root / "class" / "cy" / "notes.txt").write_text("for the teacher", "utf-8")
    judge = recorded.Answering(loaded)
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, executor=judge)
    assert judge.asked == [("bo", ("split",))] and run.graded == ["bo"]
    assert [problem.file for problem in records(root / "out")["cy"].problems] == ["notes.txt"]


def test_who_has_no_record_waits_while_an_exercise_is_graded_by_older_checks(
    root: Path, loaded: Course, recorded: Any, hand_in: Callable[..., Path]
) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    hand_in(root / "class", "new")
    generous(root)
    generous(root, "02_more/01_split")
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    assert any(remark.startswith("Without a record, so nothing is graded: new.") for remark in run.remarks)
    run = recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("split",))
    assert "new" in run.graded and len(records(root / "out")["new"].exercises) == 2


def test_who_joins_a_group_waits_too_while_an_exercise_is_graded_by_older_checks(
    root: Path, loaded: Course, recorded: Any
) -> None:
    roster = root / "roster.csv"
    roster.write_text("id,group\nada,Red\nbo,\ncy,\n")
    recorded.run_class(loaded, root / "class", root / "out", roster=roster)
    roster.write_text("id,group\nada,Red\nbo,\ncy,\nnew,Red\n")
    generous(root)
    generous(root, "02_more/01_split")
    run = recorded.run_class(loaded, root / "class", root / "out", roster=roster, resume=True, only=("share",))
    assert any(remark.startswith("Without a record, so nothing is graded: new.") for remark in run.remarks)
    assert exercise(records(root / "out")["ada"], "share").points == 4 and "new" not in records(root / "out")
    recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("split",))
    assert len(records(root / "out")["new"].exercises) == 2


def test_each_result_says_by_what_it_was_graded(root: Path, loaded: Course, recorded: Any) -> None:
    recorded.run_class(loaded, root / "class", root / "out")
    generous(root)
    recorded.run_class(loaded, root / "class", root / "out", resume=True, only=("share",))
    with reading(root / "out") as store:
        first, second = store.runs()
        kits = {row.result.id: row.kit for row in store.rows("cy", second)}
    assert kits == {"share": second.kits["share"], "split": first.kits["split"]} == dict(second.kits)
    assert first.kits["share"] != second.kits["share"]


@pytest.mark.thorough
def test_who_hands_in_anew_when_a_check_is_mended_is_graded_on_the_new_work_whole(root: Path, kata: Kata) -> None:
    assert graded(kata, root, "--seed", 5).returncode == 0
    undisturbed = records(root / "out")["bo"]
    (root / "class" / "cy" / "share.py").write_text(PLAIN.format(id="share"), "utf-8")
    (root / "class" / "cy" / "split.py").write_text(WRONG.format(id="split"), "utf-8")
    mend(root)
    assert graded(kata, root, "--resume", "--only", "share").returncode == 0
    cy = records(root / "out")["cy"]
    assert (exercise(cy, "share").points, exercise(cy, "split").points) == (4, 1)
    assert exercise(records(root / "out")["bo"], "split") == exercise(undisturbed, "split")
