"""The benchmarks run from end to end in their quickest form, and their parts do what their figures rest on."""

from __future__ import annotations

import itertools
import os
import runpy
import subprocess
import sys
from pathlib import Path

import answers
import cheats
import figures
import load
import pytest
import rivals

from grader.course import load_course
from tests.records import check, exercise, record

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")
EDITED = {
    "points": [("answer", None), ("assert", 500)],
    "emptied": [("answer", None), ("pass", 5)],
    "deleted": [("answer", None)],
    "renamed": [("answer", None), ("assert", 5)],
}
"""What becomes of the cells of a notebook, an answer and its test, by cheat."""


def test_a_larger_class_begins_with_the_smaller_one_and_no_two_files_are_alike() -> None:
    small, large = (answers.class_of(COURSE, ["softmax"], count) for count in (5, 40))
    assert large[:5] == small
    assert len({each.sources["softmax"] for each in large}) == 40
    right = answers.right_answers(COURSE, COURSE.exercise("softmax")).values()
    for learner in large:
        is_right = learner.sources["softmax"].rpartition(f"\n# {learner.name}")[0] in right
        assert is_right != bool(learner.wrong)


@pytest.mark.parametrize("id", rivals.PLAIN_TESTS)
def test_the_rivals_tests_tell_right_from_wrong(id: str, tmp_path: Path) -> None:
    exercise = COURSE.exercise(id)
    numbers = itertools.count()

    def passes(source: str) -> bool:
        file = tmp_path / f"answer_{next(numbers)}.py"
        file.write_text(source, encoding="utf-8")
        try:
            learners = runpy.run_path(str(file))
            exec(rivals.plain_test(COURSE, exercise, "learners"), {"learners": learners})
        except Exception:
            return False
        return True

    assert all(map(passes, answers.right_answers(COURSE, exercise).values()))
    caught = [not passes(source) for source in answers.wrong_answers(COURSE, exercise).values()]
    assert sum(caught) > len(caught) / 2


@pytest.mark.parametrize("cheat", EDITED)
def test_a_cheat_changes_the_cells_that_test(cheat: str) -> None:
    notebook = [
        rivals.code("answer", "softmax", nbgrader=rivals.marks("softmax")),
        rivals.code("assert", "test-softmax", nbgrader=rivals.marks("test-softmax", 5)),
    ]
    cheats.edit(cheats.CHEATS[cheat]["edit"], notebook)
    assert [(cell.source, cell.metadata["nbgrader"].get("points")) for cell in notebook] == EDITED[cheat]
    names = [cell.metadata["nbgrader"]["grade_id"] for cell in notebook]
    assert ("test-softmax-2" in names) == (cheat == "renamed")


@pytest.mark.parametrize("cheat", cheats.CHEATS)
def test_every_cheat_is_said_and_is_python_for_every_tool(cheat: str) -> None:
    said = cheats.CHEATS[cheat]
    assert set(said) <= {"title", "nbgrader", "otter", "ours", "edit"} and said["title"]
    for tool in ("nbgrader", "otter", "ours"):
        compile(cheats.source_of(cheat, tool), cheat, "exec")


def test_a_class_that_was_harmed_is_found_out(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    softmax = exercise(check(max_points=4.0))
    lines = [record(softmax, submission=name).to_json() for name in ("ann", "ben", "eve")]
    results.write_text("\n".join([*lines, lines[0]]) + "\n", encoding="utf-8")
    learners = [answers.Learner(name) for name in ("ann", "ben", "cid", "eve")]
    alone = {"ann": {"softmax": 4.0}, "cid": {"softmax": 4.0}, "ben": {"softmax": 1}}
    class_ = load.Class(learners, {"eve"}, alone)
    came = load.outcome(results, class_, "", 1, 1.0)
    assert (came.as_alone, came.lost, came.twice, came.passed_attacks) == (1, 1, 1, 1)
    assert not came.holds(class_)


@pytest.mark.thorough
@pytest.mark.timeout(600)  # a busy machine takes long to start them
class TestFromEndToEnd:
    """Each benchmark in its quickest form: the rows of the table that it keeps."""

    @pytest.fixture
    def measured(self, tmp_path: Path):
        def rows(script: str, *arguments: str) -> list[dict[str, str]]:
            kept = tmp_path / "kept.json"
            command = [sys.executable, ROOT / "benchmarks" / script, *arguments, "--json", kept]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            table = figures.read(kept)
            return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

        return rows

    def test_a_class_is_graded_and_timed(self, measured) -> None:
        (row,) = measured("rivals.py", "--quick", "--exercises", "first-unit", "--tools", "ours")
        assert row["tool"] == "ours" and float(row["seconds"]) > 0
        assert row["wrong answers with full points"] == row["right answers without"] == "0"

    def test_a_locked_worker_is_timed_beside_a_plain_fork(self, measured) -> None:
        (row,) = measured("run.py", "--quick", "--only", "fork")
        assert float(row["ratio"]) == pytest.approx(float(row["ours (ms)"]) / float(row["other (ms)"]), abs=0.05)

    def test_the_lines_of_each_refusal_are_counted(self, measured) -> None:
        known, _ = measured("screens.py", "--only", "dot_scores")
        assert int(known["refused"]) == len(answers.wrong_answers(COURSE, COURSE.exercise("dot_scores")))
        assert 4 <= float(known["lines: median"]) <= int(known["most"].split()[0]) <= 20

    @pytest.mark.skipif(not Path("/sys/fs/cgroup/cpuacct").is_dir(), reason="wants control groups of version 1")
    @pytest.mark.skipif(os.getuid() != 0, reason="wants root")
    def test_growth_sees_the_memory_of_every_process(self, measured) -> None:
        one, two = measured("growth.py", "--quick")
        assert (one["learners"], two["learners"]) == ("1", "2")
        assert float(two["memory (MiB)"]) > 100

    def test_names_of_an_exercise_are_measured_and_none_is_wrong(self, measured) -> None:
        kinds = ("known", "written", "right")
        chosen = [part for kind in kinds for part in ("--kind", kind)]
        rows = measured("naming.py", "--only", "head_scores", "--every", "3", *chosen)
        assert [row["answers"] for row in rows] == list(kinds)
        assert rows[0]["named"].endswith(" 100%")
        assert all(row["named wrongly"] == "0" for row in rows)
