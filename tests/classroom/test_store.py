"""The database of a class: what is stored comes back, a submission is there as a whole or not at all, one writes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.class_folder import SubmissionFiles
from grader.classroom.class_list import ClassList
from grader.classroom.final_points import HandIn, Override
from grader.classroom.grading_terms import Run
from grader.classroom.platforms import read_entry
from grader.classroom.roster import Learner
from grader.classroom.store import DATABASE, Row, Store, reading, writing
from grader.classroom.unmatched import Unmatched
from grader.errors import KataError
from grader.intake import SourceFile, Submission
from grader.record import CourseStamp, ExerciseResult, Problem

AT = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
ADA = Learner(
    "1815", "Ada Byron", "ada@uni.example", ("ab1",), group="Red", hand_in=HandIn({"*": AT}, {"01": 2}, {}, ("x",))
)
BO = Learner("bo", "bo", in_roster=False)
RUN = Run(
    platform="moodle",
    course=Path("/course/course.yml"),
    stamp=CourseStamp(title="Tiny", version="1", digest="d"),
    level="full",
    seed=2**53 - 1,
    exercises=(),
    kits={"share": "kit"},
    programs="torch 2",
    begun=AT,
)
SOURCES = {"share": SourceFile("share", "01_share.py", b"\xff\x00")}
WORK = Submission("Ada", SOURCES, (Problem(file="a", kind="unknown", message="No."),))


def result(points: float, id: str = "share") -> ExerciseResult:
    return ExerciseResult(id=id, status="missing", points=0.0, max_points=points, checks=(), diagnosis=(), seconds=0.5)


def begun(store: Store, **changes: Any) -> Run:
    adas = SubmissionFiles("Ada", read_entry("plain", "Ada"), ("1815",))
    zoes = Unmatched("zoe.zip", "Nobody is called so.", True)
    return store.begin(replace(RUN, **changes), ClassList((ADA, BO), (adas,), (zoes,), (), (), "plain"))


def add(store: Store, run: Run, learner: str, *results: ExerciseResult) -> None:
    store.add(run, WORK, {learner: results})


def graded(store: Store, run: Run) -> set[str]:
    return {learner.id for learner, standing in store.standing(run) if standing == "graded"}


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    with writing(tmp_path / "out") as store:
        run = begun(store)
        add(store, run, "1815", result(4))
        store.override(run, "1815", "share", 2.0, "Talked.")
    with reading(tmp_path / "out") as store:
        assert store.runs == [run] and (run.id, run.first, run.seed) == (1, 1, 2**53 - 1)
        assert store.standing(run) == [(ADA, "graded"), (BO, "absent")] and store.learners() == [ADA, BO]
        assert store.learners()[0].hand_in == ADA.hand_in
        row = store.rows("1815", run)["share"]
        assert row == Row(result(4), WORK.digest("share"), run, WORK.sources["share"])
        assert store.last_submission("1815", run) == ("Ada", WORK.digest(), WORK.problems)
        assert store.entries(run) == {"Ada": {"1815": 1}}
        assert store.overrides("1815", run) == {"share": Override(2.0, "Talked.")}
        assert store.unmatched() == [Unmatched("zoe.zip", "Nobody is called so.", True)]


def test_submission_is_stored_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    with writing(tmp_path) as store:
        run = begun(store)
        odd: Any = None
        with pytest.raises(AttributeError):
            store.add(run, WORK, {"1815": [result(4)], "bo": [odd]})
        assert graded(store, run) == set()


# --- opening ----------------------------------------------------------------------------------------------------------


def test_folder_is_left_as_it_was_if_no_run_is_stored(tmp_path: Path) -> None:
    with writing(tmp_path / "new"):
        pass
    assert not (tmp_path / "new").exists()


def test_database_that_a_killed_run_left_empty_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    with writing(tmp_path) as store:
        begun(store)
    with reading(tmp_path) as store:
        assert len(store.runs) == 1


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        pytest.param(lambda out: (out / "results.jsonl").touch(), "holds no class.db", id="results without a database"),
        pytest.param(lambda out: (out / DATABASE).write_bytes(b"x" * 5000), "file is not a database", id="no database"),
        pytest.param(lambda out: _set_version(out, 99), "is of another version", id="a later version"),
        pytest.param(lambda out: _add_table(out), "or of another one", id="a database of another program"),
        pytest.param(lambda out: (out / DATABASE).symlink_to(out / "else"), "is a link", id="a link"),
    ],
)
def test_what_is_no_class_gets_one_sentence(prepare: Callable[[Path], Any], told: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    before = {path.name: path.lstat().st_size for path in tmp_path.iterdir()}
    with pytest.raises((KataError, OSError), match=told), writing(tmp_path):
        raise AssertionError
    (tmp_path / ".lock").unlink(missing_ok=True)
    assert {path.name: path.lstat().st_size for path in tmp_path.iterdir()} == before


def _add_table(out: Path) -> None:
    with closing(sqlite3.connect(out / DATABASE)) as database:
        database.execute("CREATE TABLE theirs (one)")


def _set_version(out: Path, version: int) -> None:
    with closing(sqlite3.connect(out / DATABASE)) as database:
        database.execute(f"PRAGMA user_version = {version}")


def test_database_is_written_with_a_rollback_journal_and_full_syncs(tmp_path: Path) -> None:
    with writing(tmp_path) as store:
        begun(store)
        settings = [store._sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert settings == ["delete", 2]


def test_full_disk_is_told_and_what_was_stored_stays(tmp_path: Path) -> None:
    with writing(tmp_path) as store:
        run = begun(store)
        add(store, run, "bo", result(1))
        pages = store._sql.execute("PRAGMA page_count").fetchone()[0]
        store._sql.execute(f"PRAGMA max_page_count = {pages}")  # SQLite says the same as for a full disk
        large = result(1).model_copy(update={"id": "x" * 100_000})
        with pytest.raises(KataError, match=r"class\.db cannot be written: database or disk is full"):
            add(store, run, "1815", large)
        assert graded(store, run) == {"bo"}


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user's identity")
def test_folder_that_may_not_be_written_can_be_read(tmp_path: Path) -> None:
    with writing(tmp_path) as store:
        begun(store)
    place = Path(shutil.copytree(tmp_path, "/tmp/kata-read-only", dirs_exist_ok=True))
    try:
        for path in (place, *place.iterdir()):
            path.chmod(0o555 if path.is_dir() else 0o444)
        os.seteuid(65534)
        with reading(place) as store:
            assert len(store.runs) == 1
        with pytest.raises(PermissionError), writing(place):
            raise AssertionError
    finally:
        os.seteuid(0)
        shutil.rmtree(place)


HOLD = """\
import sys
from pathlib import Path
from grader.classroom.store import writing
with writing(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes into OUT."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_second_writer_is_refused_until_the_first_has_ended_even_by_being_killed(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    with pytest.raises(KataError, match="Another command is writing into"), writing(tmp_path / "out"):
        raise AssertionError
    holder.kill()
    holder.wait()
    with writing(tmp_path / "out") as store:
        begun(store)
