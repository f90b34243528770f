"""Going on with a run: what changed is graded again and nothing else, and only on the same terms."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results_file import read_results
from grader.course import load_course
from grader.errors import KataError

RunClass = Callable[..., Any]


@pytest.fixture
def out(dozen: Path, tmp_path: Path, run_class: RunClass) -> Path:
    """The graded class of twelve."""
    run_class(dozen, tmp_path / "out")
    return tmp_path / "out"


def asked(executor: Any) -> list[str]:
    return sorted(name for batch in executor.asked for name in batch)


def test_only_a_changed_submission_is_graded_again_and_its_newer_record_counts(
    out: Path, dozen: Path, run_class: RunClass, answering: Callable[..., Any], hand_in: Callable[..., Path]
) -> None:
    before = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    hand_in(dozen, "s004", right=False)
    executor = answering()
    run = run_class(dozen, out, executor=executor, resume=True)
    assert asked(executor) == ["s004"]
    assert (run.tally.graded, run.tally.unchanged) == (1, 11)
    after = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    assert [number for number in range(12) if after[number] != before[number]] == [4]
    assert json.loads(after[4])["points"] == 0 != json.loads(before[4])["points"]
    assert (out / "results.superseded.jsonl").read_bytes() == before[4]


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
    assert run_class(dozen, out, resume=True).tally.graded == 1
    assert names_in(out)[3:6] == ["s003", "s003-and-a-half", "s004"]


def test_record_of_a_submission_that_is_gone_is_kept_and_named(
    out: Path, dozen: Path, run_class: RunClass, names_in: Callable[[Path], list[str]]
) -> None:
    (dozen / "s000" / "share.py").unlink()
    (dozen / "s000").rmdir()
    run = run_class(dozen, out, resume=True)
    assert run.tally.remarks == ["s000 is not among the submissions any more; the record is kept."]
    assert names_in(out)[-1] == "s000" and len(names_in(out)) == 12


def test_record_that_is_no_mark_is_graded_again(
    dozen: Path, tmp_path: Path, run_class: RunClass, answering: Callable[..., Any]
) -> None:
    out = tmp_path / "out"
    first = run_class(dozen, out, executor=answering(failing={"s007": ValueError("odd")}))
    assert first.tally.faults == ["s007"]
    executor = answering()
    second = run_class(dozen, out, executor=executor, resume=True)
    assert asked(executor) == ["s007"]
    assert second.tally.faults == [] and all(result.record.complete for result in read_results(out))


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        pytest.param({"seed": 6}, "the seed was 5 and is 6", id="another seed"),
        pytest.param({"only": ("share",)}, "the exercises were all and are share", id="other exercises"),
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
        pytest.param("course.yml", "author: someone", "author: else", "course.yml was changed", id="course file"),
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


def test_results_of_an_older_make_cannot_be_gone_on_with(out: Path, dozen: Path, run_class: RunClass) -> None:
    (out / "run.json").unlink()
    with pytest.raises(KataError, match="without the terms"):
        run_class(dozen, out, resume=True)


def test_resume_without_any_result_begins(dozen: Path, tmp_path: Path, run_class: RunClass) -> None:
    assert run_class(dozen, tmp_path / "out", resume=True).tally.graded == 12


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
