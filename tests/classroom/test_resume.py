"""Going on with a run: what changed is graded again and nothing else, and only on the same terms."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import read_results
from grader.classroom.store import reading
from grader.course import load_course
from grader.errors import KataError

RunClass = Callable[..., Any]


@pytest.fixture
def out(dozen: Path, tmp_path: Path, run_class: RunClass) -> Path:
    """The graded class of twelve."""
    run_class(dozen, tmp_path / "out")
    return tmp_path / "out"


def asked(executor: Any) -> list[str]:
    return sorted(name for name, _ in executor.asked)


def test_only_a_changed_submission_is_graded_again_and_its_newer_record_counts(
    out: Path, dozen: Path, run_class: RunClass, answering: Callable[..., Any], hand_in: Callable[..., Path]
) -> None:
    before = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    hand_in(dozen, "s004", right=False)
    executor = answering()
    run = run_class(dozen, out, executor=executor, resume=True)
    assert asked(executor) == ["s004"]
    assert (len(run.graded), len(run.unchanged)) == (1, 11)
    after = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    assert [number for number in range(12) if after[number] != before[number]] == [4]
    assert json.loads(after[4])["points"] == 0 != json.loads(before[4])["points"]
    assert [(each.learner, each.old, each.new, each.reason) for each in run.result.moves] == [
        ("s004", 4, 0, "what was handed in")
    ]


def test_touched_or_packed_submission_of_the_same_content_is_unchanged(
    out: Path, dozen: Path, run_class: RunClass, answering: Callable[..., Any]
) -> None:
    os.utime(dozen / "s001" / "share.py", (1, 1))
    (dozen / "s002" / "share.py").rename(dozen / "s002" / "01_share.py")
    executor = answering()
    run_class(dozen, out, executor=executor, resume=True)
    assert asked(executor) == []


def test_new_learner_is_graded_and_stands_in_class_order(
    out: Path, dozen: Path, run_class: RunClass, hand_in: Callable[..., Path], names_in: Callable[[Path], list[str]]
) -> None:
    hand_in(dozen, "s003-and-a-half")
    assert run_class(dozen, out, resume=True).graded == ["s003-and-a-half"]
    assert names_in(out)[3:6] == ["s003", "s003-and-a-half", "s004"]


def test_record_of_a_submission_that_is_gone_is_kept_and_named(
    out: Path, dozen: Path, run_class: RunClass, names_in: Callable[[Path], list[str]]
) -> None:
    (dozen / "s000" / "share.py").unlink()
    (dozen / "s000").rmdir()
    run = run_class(dozen, out, resume=True)
    assert run.remarks == ["s000 is not among the submissions any more; the record is kept."]
    assert names_in(out)[-1] == "s000" and len(names_in(out)) == 12


def test_record_that_is_no_mark_is_graded_again(
    dozen: Path, tmp_path: Path, run_class: RunClass, answering: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    first = run_class(dozen, out, executor=answering(failing={"s007": ValueError("odd")}))
    assert first.faults == ["s007"]
    executor = answering()
    second = run_class(dozen, out, executor=executor, resume=True)
    assert asked(executor) == ["s007"]
    assert second.faults == [] and all(result.record.complete for result in read_results(out))


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        pytest.param({"seed": 6}, "the seed was 5 and is 6", id="another seed"),
        pytest.param({"level": "process"}, "the isolation was none and is process", id="another isolation"),
    ],
)
def test_other_terms_are_refused_and_named(
    terms: dict[str, Any], told: str, out: Path, dozen: Path, run_class: RunClass
) -> None:
    before = (out / "results.jsonl").read_bytes()
    with pytest.raises(KataError, match=told):
        run_class(dozen, out, resume=True, **terms)
    assert (out / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        pytest.param("course.yml", "units:", "submission_seconds: 9\nunits:", "course.yml was changed", id="limit"),
        pytest.param("course.yml", 'version: "1"', 'version: "2"', "was Tiny 1 and is Tiny 2", id="course's version"),
        pytest.param("tests/kits/01_parts/01_share/checks.py", "0.25", "0.250", "hidden checks", id="hidden check"),
        pytest.param("solutions/01_parts/01_share.py", "total", "sums", "solutions", id="solution"),
        pytest.param("tests/kits/01_parts/01_share/mistakes.py", "amax", "amin", "known mistakes", id="known mistake"),
        pytest.param("tests/kits/families/sums.py", "sum_of", "sums_of", "known mistakes", id="family of mistakes"),
    ],
)
def test_changed_course_is_refused_and_named(
    file: str, old: str, new: str, told: str, dozen: Path, tiny_course: Path, tmp_path: Path, recorded: Any
) -> None:
    out = tmp_path / "out"
    families = tiny_course / "tests" / "kits" / "families"
    families.mkdir()
    (families / "sums.py").write_text("def sum_of(): ...\n", "utf-8")
    recorded.run_class(load_course(tiny_course / "course.yml"), dozen, out)
    changed = tiny_course / file
    assert old in changed.read_text("utf-8")
    changed.write_text(changed.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(KataError, match=told):
        recorded.run_class(load_course(tiny_course / "course.yml"), dozen, out, resume=True)


@pytest.mark.thorough
def test_class_that_is_there_is_neither_overwritten_nor_lost(
    out: Path, dozen: Path, course_root: Path, tmp_path: Path, kata: Callable[..., Any]
) -> None:
    before = (out / "results.jsonl").read_bytes()
    arguments = [
        "grade-class",
        dozen,
        "--out",
        "out",
        "--course",
        course_root,
        "--isolation",
        "best",
        "--only",
        "share",
    ]
    refused = kata(*arguments, cwd=tmp_path)
    assert refused.returncode == 2 and "--resume goes on with it; --anew begins again" in refused.stderr
    assert (out / "results.jsonl").read_bytes() == before
    begun = kata(*arguments, "--anew", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    with reading(out) as store:
        earlier, now = store.runs()
        assert [earlier.first, now.first] == [earlier.id, now.id]
        assert len(store.graded(earlier)) == len(store.graded(now)) == 12


def test_class_of_which_nobody_is_known_is_refused(
    out: Path, tmp_path: Path, run_class: RunClass, hand_in: Callable[..., Path]
) -> None:
    before = (out / "results.jsonl").read_bytes()
    hand_in(tmp_path / "other", "bo")
    with pytest.raises(KataError, match=r"It knows s000, s001, s002 and 9 more, and here are bo: give another folder"):
        run_class(tmp_path / "other", out, resume=True)
    assert (out / "results.jsonl").read_bytes() == before


def test_change_of_the_policy_is_named_when_one_goes_on(
    dozen: Path, tiny_course: Path, tmp_path: Path, recorded: Any
) -> None:
    """No points change behind anybody's back: those of learners who handed in nothing new are named."""
    recorded.run_class(load_course(tiny_course / "course.yml"), dozen, tmp_path / "out")
    catalogue = tiny_course / "course.yml"
    catalogue.write_text(
        catalogue.read_text("utf-8").replace("documents:", "policy:\n  exempt: [share]\ndocuments:", 1)
    )
    ran = recorded.run_class(load_course(catalogue), dozen, tmp_path / "out", resume=True)
    assert ran.graded == []
    (remark,) = [each for each in ran.remarks if each.startswith("Final points also changed")]
    assert "s001 4 -> 0" in remark


def test_resume_without_any_result_begins(dozen: Path, tmp_path: Path, run_class: RunClass) -> None:
    assert len(run_class(dozen, tmp_path / "out", resume=True).graded) == 12


@pytest.mark.thorough
def test_results_inside_the_class_folder_are_no_learner(
    dozen: Path, course_root: Path, kata: Callable[..., Any], names_in: Callable[[Path], list[str]]
) -> None:
    arguments = ["grade-class", ".", "--out", "out", "--course", course_root, "--isolation", "best", "--html"]
    assert kata(*arguments, cwd=dozen).returncode == 0
    again = kata(*arguments, "--resume", cwd=dozen)
    assert again.returncode == 0, again.stderr
    assert names_in(dozen / "out") == [f"s{number:03d}" for number in range(12)]
    assert len(list((dozen / "out").glob("learner-*.html"))) == 12


@pytest.mark.thorough
def test_command_goes_on_with_the_seed_of_the_run_and_refuses_another(
    dozen: Path, tmp_path: Path, course_root: Path, kata: Callable[..., Any]
) -> None:
    """The real command: a seed that nobody chose is the same in the second run."""
    arguments = ["grade-class", dozen, "--out", "out", "--course", course_root, "--isolation", "best"]
    assert kata(*arguments, cwd=tmp_path).returncode == 0
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    again = kata(*arguments, "--resume", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before
    refused = kata(*arguments, "--resume", "--seed", 1, cwd=tmp_path)
    assert refused.returncode == 2 and "the seed was" in refused.stderr and "Traceback" not in refused.stderr


def test_person_says_whose_a_submission_is_and_is_asked_once(
    tmp_path: Path, run_class: RunClass, hand_in: Callable[..., Path]
) -> None:
    hand_in(tmp_path / "class", "homework")
    (tmp_path / "roster.csv").write_text("id,name\n1,Ada Byron\n2,Bo Chen\n", "utf-8")
    folder, out, roster = tmp_path / "class", tmp_path / "out", tmp_path / "roster.csv"
    with pytest.raises(KataError, match=r"Nothing was graded.*unmatched\.csv, and give it with --match"):
        run_class(folder, out, roster=roster)
    filled = (out / "unmatched.csv").read_text("utf-8-sig").replace("called so.,", "called so.,Bo Chen")
    (tmp_path / "match.csv").write_text(filled, "utf-8")
    run_class(folder, out, roster=roster, matches=tmp_path / "match.csv")
    hand_in(folder, "homework", right=False)
    again = run_class(folder, out, resume=True)
    assert again.graded == ["homework"] and again.result.unmatched == []
    assert [(each.learner.id, each.record.points) for each in read_results(out)] == [("2", 0)]
