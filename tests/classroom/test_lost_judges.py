"""A judge that dies takes nobody's grade along, and a submission that kills every judge is named."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.judging import LOSSES_IN_A_ROW, Pool
from grader.errors import KataError

from .conftest import hand_in_all
from .processes import children
from .recorded_run import read_results

DEADLY = "def share(amounts):\n    return amounts * 0 + 666\n"
KILLS_THE_JUDGE = """\
    import os
    if parts.tolist() == [666.0] * 3:
        os.kill(os.getpid(), 9)
    expect("""

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def deadly_course(tiny_course: Path) -> Path:
    """A course whose check kills the judge at a certain answer."""
    checks = tiny_course / "tests" / "kits" / "01_parts" / "01_share" / "checks.py"
    text = checks.read_text("utf-8")
    checks.write_text(text.replace("    expect(", KILLS_THE_JUDGE, 1), "utf-8")
    return tiny_course


@pytest.mark.thorough
def test_submission_that_kills_every_judge_is_named_and_has_no_mark_and_the_rest_goes_on(
    deadly_course: Path, tmp_path: Path, cold_kata: Callable[..., Any]
) -> None:
    dozen = hand_in_all(tmp_path / "class", 12)
    (dozen / "s005" / "share.py").write_text(DEADLY, "utf-8")
    terms = ["--course", deadly_course, "--isolation", "best", "--seed", 5, "--jobs", 2]
    done = cold_kata("grade-class", dozen, "--out", "out", *terms, cwd=tmp_path, seconds=300)
    assert done.returncode == 3
    assert "s005 was not graded. The judge broke twice over this submission (its process ended)." in done.stderr
    assert "Not graded in full, by the grader's own fault: s005." in done.stderr
    records = {result.record.submission: result.record for result in read_results(tmp_path / "out")}
    assert len(records) == 12
    assert [name for name, record in records.items() if not record.complete] == ["s005"]
    (exercise,) = records["s005"].exercises
    assert exercise.status == "error" and "its own fault" in exercise.checks[0].message
    assert all(record.points == (4 if int(name[1:]) % 3 else 1) for name, record in records.items() if name != "s005")


def servers(pid: int) -> list[int]:
    return children(pid, b"forkserver")


def judges(pid: int) -> list[int]:
    return [each for server in servers(pid) for each in servers(server)] + children(pid, b"spawn_main")


def zygotes(pid: int) -> list[int]:
    """Those that the judges share; bubblewrap is their parent, if there is one."""
    return children(pid, b"inside.zygote")


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the judges")
@pytest.mark.parametrize(
    "who",
    [
        pytest.param(judges, id="judges"),
        pytest.param(servers, id="what judges are forked from"),
        pytest.param(zygotes, id="the zygote that judges share"),
    ],
)
def test_what_is_killed_from_outside_is_replaced(
    who: Callable[[int], list[int]], forty: Path, tmp_path: Path, grading: Callable[..., Any], undisturbed: list[str]
) -> None:
    run = grading(forty, tmp_path / "out")
    run.await_results()
    found = who(run.process.pid)
    assert found
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert run.lines() == undisturbed


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(
            BrokenProcessPool("died"),
            "The judge broke twice over this submission (its process ended)",
            id="process ended",
        ),
        pytest.param(
            ValueError("not for learners"), "The judge broke twice over this submission (ValueError)", id="exception"
        ),
    ],
)
def test_submission_is_given_up_after_its_second_try(error: Exception, told: str, room: Any) -> None:
    room.hand_in({f"{name}/share.py": True for name in ("ada", "bo", "cy")})
    judge = room.judge(failing={"bo": error})
    run = room.grade(pool=judge)
    assert [name for name, _ in judge.asked].count("bo") == 2 and run.faults == ["bo"]
    assert any(remark.startswith("bo was not graded.") and told in remark for remark in run.remarks)
    assert list(room.records) == ["ada", "bo", "cy"]
    assert "not for learners" not in (room.out / "results.jsonl").read_text("utf-8")


class Dead(Pool):
    """A pool whose every worker dies."""

    def __init__(self) -> None:
        self.asked = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("died"))
        return future


def test_machine_on_which_every_judge_dies_stops_the_run(room: Any) -> None:
    pool = Dead()
    hand_in_all(room.folder, 60)
    with pytest.raises(KataError, match=r"all crashed their judges\)\. \d+ of 60 are graded"):
        room.grade(pool=pool)
    assert pool.asked <= 2 * LOSSES_IN_A_ROW + 2
