"""A warm judge says what a new one says, serves all commands, and is gone when it is of no use."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from grader.record import Record
from grader.service import client
from grader.service.client import course_stamp, judge_name, registered, running_judges
from tests.service.conftest import RIGHT, Done, Home, graded, submission
from tests.waiting import await_true, is_running

pytestmark = pytest.mark.timeout(600)

ALONE = {"KATA_SERVICE": "0"}
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
SLOW = "import time\n\ntime.sleep(2)\n\n\n" + RIGHT
ENDLESS = "def share(amounts):\n    while True:\n        pass\n"
CHECKS = "tests/kits/01_parts/01_share/checks.py"


def slow(begun: Path) -> str:
    """A right answer that takes its time, and first makes a file."""
    return f"open({str(begun)!r}, 'w').close()\n{SLOW}"


def in_background(action: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """A thread that does this, and where its result will be."""
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(action()))
    thread.start()
    return thread, results


def record_of(done: Done) -> dict[str, Any]:
    """The record that was printed, without what differs from run to run."""
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    for exercise in record["exercises"]:
        exercise["seconds"] = 0.0
    return record


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# --- the same verdict for every command ----------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["best", "process"])
def test_record_is_that_of_a_judge_for_itself_alone(level: str, home: Home) -> None:
    for source in (RIGHT, WRONG, "def share(amounts:\n", "raise SystemExit\n"):
        command = ("grade", home.answer(source), "--json", "-", "--seed", 5, "--isolation", level)
        warm = [record_of(home.kata(*command)) for _ in range(2)]
        assert home.judge().course == str(home.course / "course.yml")
        cold = record_of(home.kata(*command, env=ALONE))
        assert warm == [cold, cold]


@pytest.mark.thorough
def test_one_judge_serves_all_commands_at_once_too_and_plain_pytest_which_loads_no_torch(
    home: Home, run_command: Callable[..., Any]
) -> None:
    command = ("grade", home.answer(WRONG), "--json", "-", "--seed", 5, "--isolation", "best")
    asked = [in_background(lambda: record_of(home.kata(*command))) for _ in range(4)]
    for thread, _ in asked:
        thread.join()
    assert [results for _, results in asked] == [asked[0][1]] * 4 and asked[0][1]
    judge = home.judge()
    assert home.kata("check").returncode == 1
    assert home.kata("report").returncode == 0
    program = (
        "import pytest, sys; status = pytest.main(['-p', 'no:cacheprovider']); print('torch' in sys.modules, status)"
    )
    done = run_command(sys.executable, "-c", program, cwd=home.course, env=home.environment)
    assert done.stdout.splitlines()[-1] == "False 1"
    assert "Probably: You divided by one sum of everything." in done.stdout
    assert running_judges() == [judge]


@pytest.mark.thorough
def test_timeout_of_pytest_is_none_for_the_judge(home: Home, run_command: Callable[..., Any]) -> None:
    """The judge has a clock for the learner's code; how long others are before it, or it takes to begin, is no fault."""
    home.answer(SLOW)
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "timeout=1")
    done = run_command(*command, cwd=home.course, env=home.environment)
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


def test_stub_that_nobody_touched_starts_none(home: Home) -> None:
    assert home.kata("check").returncode == 0
    assert running_judges() == []


@pytest.mark.thorough
def test_doctor_shows_it_and_ends_it_and_the_switch_does_without(home: Home) -> None:
    home.answer(RIGHT)
    assert home.kata("check", env=ALONE).returncode == 0
    assert "No judge is kept warm." in home.kata("doctor", env=ALONE).stdout
    assert home.kata("doctor", "--stop-judges").stdout == "No judge was kept warm.\n"
    graded(home.warm(), RIGHT)
    judge = home.judge()
    shown = home.kata("doctor").stdout
    assert f"A judge is kept warm (process {judge.pid}, level {judge.level}) for {judge.course}" in shown
    assert home.kata("doctor", "--stop-judges").stdout == "Ended: 1.\n"
    assert running_judges() == []
    await_true(lambda: not is_running(judge.pid))  # it has still to end what runs learners' code
    assert not Path(judge.address).parent.exists()


# --- when it ends --------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "old", "new", "points"),
    [
        pytest.param(CHECKS, "[0.25, 0.25, 0.5]", "[0.5, 0.25, 0.25]", 3, id="checks"),
        pytest.param("solutions/01_parts/01_share.py", "# END SOLUTION\n", "# END SOLUTION\n\n", 4, id="reference"),
        pytest.param("course.yml", "Parts of a whole", "Shares of a whole", 4, id="catalogue"),
    ],
)
def test_changed_course_counts_at_once(file: str, old: str, new: str, points: int, home: Home) -> None:
    judge = home.warm()
    assert graded(judge, RIGHT) == ("somebody", 4)
    before = home.judge()
    change(home.course / file, old, new)
    assert graded(judge, RIGHT) == ("somebody", points)
    assert home.judge() != before
    await_true(lambda: not is_running(before.pid))


def test_judge_that_is_idle_ends(home: Home) -> None:
    course = home.course / "course.yml"
    name = judge_name(course, "process")
    program = (
        "import sys\nfrom pathlib import Path\nfrom grader.service import server\n"
        "server.LOOK_SECONDS = server.IDLE_SECONDS = 0.1\nserver.Server(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]).run()"
    )
    process = subprocess.Popen([sys.executable, "-c", program, name, str(course), "process", course_stamp(course)])
    await_true(lambda: registered(home.folder, name) or process.poll() is not None)
    assert process.wait(60) == 0
    assert process.pid not in {each.pid for each in registered(home.folder)}


# --- crashes, and callers who go -----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("is_at_work", [True, False], ids=["at work", "between two requests"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_judge_that_is_killed_or_stopped_costs_one_more_try_and_no_verdict(
    end: signal.Signals, is_at_work: bool, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, *(("SILENT_SECONDS", 15.0) if is_at_work else ("GREET_SECONDS", 1.0)))
    judge = home.warm()
    known = home.judge()
    try:
        if not is_at_work:
            os.kill(known.pid, end)
        thread, results = in_background(lambda: graded(judge, slow(tmp_path / "begun")))
        if is_at_work:
            await_true((tmp_path / "begun").exists)
            os.kill(known.pid, end)
        thread.join()
        assert results == [("somebody", 4)]
        assert home.judge() != known
    finally:
        with suppress(ProcessLookupError):
            os.kill(known.pid, signal.SIGKILL)


@pytest.mark.thorough
def test_submission_that_ends_every_judge_is_told_so(home: Home) -> None:
    """No such submission is known; here it is a check that ends the judge's process."""
    ends = "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n    expect(parts"
    change(home.course / CHECKS, "    expect(parts", ends)
    done = home.kata("grade", home.answer(WRONG), "--isolation", "best")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no verdict: 3 judges ended over this.")


def send_endless(judge: client.WarmJudge, begun: Path) -> Any:
    """Ask for the record of code without an end; returns the connection."""
    connection = judge._connect()
    endless = submission(f"open({str(begun)!r}, 'w').close()\n{ENDLESS}")
    connection.send_bytes(client.REQUEST.dump_json(client.Request(5, ("share",), endless)))
    return connection


@pytest.mark.thorough
def test_judge_ends_with_the_command_that_asked(home: Home, tmp_path: Path) -> None:
    """Whoever waits behind it asks the next judge: the endless code would take more than ten seconds."""
    judge = home.warm()
    known = home.judge()
    command = send_endless(judge, tmp_path / "begun")
    await_true((tmp_path / "begun").exists)
    thread, results = in_background(lambda: graded(judge, RIGHT))
    command.close()  # as when it is killed
    await_true(lambda: not is_running(known.pid), seconds=10)
    thread.join()
    assert results == [("somebody", 4)]


@pytest.mark.thorough
def test_request_whose_caller_has_gone_is_not_begun(home: Home, tmp_path: Path) -> None:
    judge = home.warm()
    thread, results = in_background(lambda: graded(judge, slow(tmp_path / "begun"), "first"))
    await_true((tmp_path / "begun").exists)
    send_endless(judge, tmp_path / "endless").close()
    assert graded(judge, RIGHT, "third") == ("third", 4)
    thread.join()
    assert results == [("first", 4)] and not (tmp_path / "endless").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError, pytest.fail.Exception],
                         ids=["Ctrl-C", "nobody reads what is printed", "a timeout of pytest"])  # fmt: skip
def test_interrupted_request_leaves_no_answer_to_the_next_one(error: type[BaseException], home: Home) -> None:
    def interrupt(exercise: str) -> None:
        raise error

    judge = home.warm()
    known = home.judge()
    with pytest.raises(error):
        judge.grade([submission(RIGHT, "first")], list[Record]().append, interrupt)
    assert graded(judge, WRONG, "second") == ("second", 1)
    assert home.judge() == known, "no crash of the judge's"


# --- whatever a judge goes by is seen to have changed ----------------------------------------------------------------


def same_size(path: Path) -> None:
    """As a copy that keeps size and times, in place."""
    before = path.stat()
    path.write_text(path.read_text().replace("0.25, 0.25, 0.5", "0.5, 0.25, 0.25"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def exchange(path: Path) -> None:
    """As an archive with fixed times unpacks it."""
    newer = shutil.copy2(path, path.with_name("newer"))
    same_size(newer)
    newer.replace(path)


def lead_elsewhere(path: Path) -> None:
    """As a folder that is a link to the newest release."""
    newer = path.parent.with_name("newer")
    path.parent.rename(newer)
    path.parent.symlink_to(newer)


@pytest.fixture
def course(tiny_course: Path) -> Path:
    return tiny_course / "course.yml"


@pytest.fixture
def checks(tiny_course: Path) -> Path:
    return tiny_course / "tests/kits/01_parts/01_share/checks.py"


@pytest.mark.parametrize(
    "change",
    [same_size, exchange, lead_elsewhere, Path.unlink],
    ids=["same size and time", "another file", "a linked folder", "gone"],
)
def test_changed_checks_are_seen(change: Callable[[Path], object], course: Path, checks: Path) -> None:
    before = course_stamp(course)
    assert course_stamp(course) == before
    change(checks)
    assert course_stamp(course) != before


def test_another_version_of_a_package_is_seen(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "packages" / "torch-2.12.0.dist-info"
    installed.mkdir(parents=True)
    monkeypatch.setattr(client, "PACKAGES", installed.parent)
    before = course_stamp(course)
    installed.rename(installed.with_name("torch-2.13.0.dist-info"))
    assert course_stamp(course) != before


def test_change_behind_a_link_is_seen(course: Path, checks: Path) -> None:
    elsewhere = checks.rename(checks.parents[2] / "elsewhere.py")
    checks.symlink_to(elsewhere)
    before = course_stamp(course)
    same_size(elsewhere)
    assert course_stamp(course) != before


def test_link_to_nowhere_is_no_hindrance(course: Path, checks: Path) -> None:
    """Emacs puts one beside each file that is being edited."""
    lock = checks.with_name(".#checks.py")
    lock.symlink_to("somebody@somewhere.4711:1795000000")
    before = course_stamp(course)
    lock.unlink()
    assert course_stamp(course) != before
