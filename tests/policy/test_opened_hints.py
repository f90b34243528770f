"""CSVs of opened hints: whose they are, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.kept_times import (
    HintsError,
    KeptTimes,
    OpenedHints,
    hints_by_learner,
    read_hints,
    read_kept_times,
    write_kept_times,
)
from grader.classroom.members import Learner
from grader.course import Course

ADA = Learner(name="s1", shown="Ada Lovelace", email="ada@example.org", in_roster=True)
BO = Learner(name="bo", shown="bo")


@pytest.fixture(scope="module")
def course(make_course_of: Callable[..., Course]) -> Course:
    return make_course_of("hints_cost_points: 1")


def opened(learner: str, exercise: str, count: int) -> OpenedHints:
    return OpenedHints(learner=learner, exercise=exercise, count=count)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("learner,exercise,hints\nbo,share,3\n", [opened("bo", "share", 3)], id="plain"),
        pytest.param(
            "Hints opened;Exercise ID;Student ID\n2;split;s1\n", [opened("s1", "split", 2)], id="other order and names"
        ),
        pytest.param(
            "learner,exercise,hints\nbo,share,\n\nbo,split,0\n", [opened("bo", "split", 0)], id="no number and none"
        ),
        pytest.param("learner,exercise,hints\nbo,share,2.0\n", [opened("bo", "share", 2)], id="a spreadsheet's 2"),
        pytest.param("learner,exercise,hints\n", [], id="nobody"),
    ],
)
def test_rows_of_opened_hints(text: str, rows: list[OpenedHints], course: Course, tmp_path: Path) -> None:
    (tmp_path / "hints.csv").write_text(text, "utf-8")
    assert read_hints(tmp_path / "hints.csv", course) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "has no columns for learners, exercises and hints", id="empty"),
        pytest.param("exercise,hints\nshare,2\n", "has no columns for learners", id="no learners"),
        pytest.param("learner,exercise,hints\n,share,2\n", "row 2: there is no learner", id="nobody"),
        pytest.param("learner,exercise,hints\nbo,,2\n", "row 2: there is no exercise.", id="nothing"),
        pytest.param(
            "learner,exercise,hints\nbo,share,1\nbo,shere,2\n",
            "row 3: there is no exercise `shere`: did you mean `share`?",
            id="no such exercise",
        ),
        pytest.param(
            "learner,exercise,hints\nbo,share,-1\n", "row 2: `-1` is no number of opened hints", id="negative"
        ),
        pytest.param("learner,exercise,hints\nbo,share,two\n", "row 2: `two` is no number", id="a word"),
        pytest.param("learner,exercise,hints\nbo,share,1.5\n", "row 2: `1.5` is no number", id="a part"),
        pytest.param("learner,exercise,hints\nbo,share,٢\n", "row 2: `٢` is no number", id="digits of another script"),
        pytest.param("learner,exercise,hints\nbo,share,9999999\n", "row 2: `9999999` is no number", id="far too many"),
        pytest.param(
            "learner,exercise,hints\nbo,share,1\nbo,split,1\nbo,share,1\n",
            "row 4: `bo` and `share` are in row 2 already",
            id="twice",
        ),
        pytest.param(f"learner,exercise,hints\nbo,share,{'x' * 9000}\n", "row 2: `xxx", id="a very long cell"),
        pytest.param('learner,exercise,hints\nbo,share,"2', "this is not a CSV file", id="an open quote"),
    ],
)
def test_what_is_wrong_is_one_sentence(text: str, said: str, course: Course, tmp_path: Path) -> None:
    (tmp_path / "hints.csv").write_text(text, "utf-8")
    with pytest.raises(HintsError) as refused:
        read_hints(tmp_path / "hints.csv", course)
    assert said in str(refused.value)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 400


def test_file_that_is_not_there_or_no_text_is_one_sentence(course: Course, tmp_path: Path) -> None:
    (tmp_path / "hints.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(HintsError, match="is not text"):
        read_hints(tmp_path / "hints.csv", course)
    with pytest.raises(HintsError, match="cannot be read"):
        read_hints(tmp_path / "nowhere.csv", course)


def test_learners_are_found_as_in_a_roster_and_of_two_rows_the_larger_number_counts() -> None:
    rows = [opened("lovelace, ada", "share", 3), opened("s1", "share", 2), opened("bo", "split", 1)]
    strangers = [opened("zed", "share", 1), opened("zed", "split", 1)]
    found, unknown = hints_by_learner([*rows, *strangers], [ADA, BO])
    assert (found, unknown) == ({"s1": {"share": 3}, "bo": {"split": 1}}, ("zed",))


def test_what_was_told_is_kept_and_told_again_replaces_it(tmp_path: Path) -> None:
    first, second = opened("bo", "share", 2), opened("s1", "split", 3)
    write_kept_times(tmp_path, KeptTimes.of(None, None, [first]))
    assert KeptTimes.of([], None).over(read_kept_times(tmp_path)).hints == (first,)
    assert KeptTimes.of(None, None, [second]).over(read_kept_times(tmp_path)).hints == (second,)
    nobody_opened_any = KeptTimes.of(None, None, [])
    write_kept_times(tmp_path, nobody_opened_any.over(read_kept_times(tmp_path)))
    assert read_kept_times(tmp_path) == nobody_opened_any


def test_times_of_a_run_before_hints_were_kept_are_read(tmp_path: Path) -> None:
    (tmp_path / "times.json").write_text('{"version": 1, "handed_in": [], "extensions": null}')
    assert read_kept_times(tmp_path) == KeptTimes.of([], None)
