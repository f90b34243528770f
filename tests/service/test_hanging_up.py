"""Whoever is interrupted, stopped or silent costs nobody else a verdict, and gets none that is another's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from grader.intake import SourceFile, Submission
from grader.service import line
from grader.service.client import JudgeLine
from grader.service.line import Reply, Request
from grader.service.place import Registration, ServiceError

pytestmark = pytest.mark.timeout(600)

SEED = 5
RIGHT = b"def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = b"def share(amounts):\n    return amounts / amounts.sum()\n"
SLOW = b"import time\n\ntime.sleep(2)\n\n\n" + RIGHT
ENDLESS = b"def share(amounts):\n    while True:\n        pass\n"


def request(name: str, content: bytes) -> Request:
    return Request("grade", SEED, ("share",), Submission(name, {"share": SourceFile("share", "share.py", content)}, ()))


def graded(judge: JudgeLine, name: str, content: bytes) -> tuple[str, float]:
    record = json.loads(judge.ask(request(name, content)).value)
    return record["submission"], record["points"]


@pytest.fixture
def call(home: Any, tiny_course: Path) -> Callable[[], JudgeLine]:
    """Gives a line to the one judge of the course."""
    return lambda: JudgeLine(home.folder, tiny_course / "course.yml", "process")


@pytest.mark.thorough
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, pytest.fail.Exception],
                         ids=["Ctrl-C", "an error of ours", "a time limit of pytest"])  # fmt: skip
def test_interrupted_request_leaves_no_answer_to_the_next_one(
    error: type[BaseException], call: Callable[[], JudgeLine]
) -> None:
    judge, other = call(), call()

    def interrupt(reply: Reply) -> None:
        raise error

    with pytest.raises(error):
        judge.ask(request("first", RIGHT), interrupt)
    other.ask(Request("checks", SEED, ("share",)))  # whatever was asked before this is answered by now
    assert graded(judge, "second", WRONG) == ("second", graded(other, "third", WRONG)[1])
    judge.close()
    other.close()


def test_error_of_who_prints_is_no_crash_of_the_judge(call: Callable[[], JudgeLine], home: Any) -> None:
    judge = call()

    def print_to_nobody(reply: Reply) -> None:
        raise BrokenPipeError

    known = home.judge()
    with pytest.raises(BrokenPipeError):
        judge.ask(request("first", RIGHT), print_to_nobody)
    assert home.judge() == known


@pytest.mark.thorough
def test_notebook_after_an_interrupted_one_gets_its_own_grade(home: Any, tiny_course: Path) -> None:
    from grader.classroom import Terms
    from grader.notebooks.judging import NotebookJudge

    judge = NotebookJudge(Terms(tiny_course / "course.yml", "reduced", SEED, ("share",)), "")
    right, slow, wrong = (request("somebody", content).submission for content in (RIGHT, SLOW, WRONG))
    assert right and slow and wrong
    try:
        assert judge.grade(right).points == 4
        judge.begin(slow)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            judge.grade(slow)
        time.sleep(4)  # by now it would be graded
        assert judge.grade(wrong).points < 4
    finally:
        judge.close()


@pytest.mark.thorough
def test_endless_code_that_nobody_waits_for_holds_nobody_up(call: Callable[[], JudgeLine]) -> None:
    """It would take more than ten seconds to its end."""
    first, second = call(), call()
    first.send(request("endless", ENDLESS))
    time.sleep(1)
    first.close()
    judge = second._known
    assert graded(second, "second", RIGHT) == ("second", 4)
    assert second._known != judge
    second.close()


@pytest.mark.thorough
def test_who_waits_in_line_hears_that_the_line_moves(call: Callable[[], JudgeLine]) -> None:
    first, second, third = call(), call(), call()
    first.send(request("first", SLOW))
    second.send(request("second", SLOW))
    time.sleep(0.5)
    heard: list[str] = []
    last = third.ask(request("third", RIGHT), lambda reply: heard.append(reply.kind))
    assert json.loads(last.value)["points"] == 4
    assert "waiting" in heard and [kind for kind in heard if kind != "waiting"] == ["begun", "advance"]
    for judge, name in ((first, "first"), (second, "second")):
        assert json.loads(judge.replies(request(name, SLOW)).value)["submission"] == name
    for judge in (first, second, third):
        judge.close()


@pytest.mark.thorough
def test_stopped_judge_is_replaced(call: Callable[[], JudgeLine], home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "GREET_SECONDS", 1.0)
    call().close()
    stopped = home.judge()
    os.kill(stopped.pid, signal.SIGSTOP)
    try:
        judge = call()
        assert graded(judge, "any", RIGHT) == ("any", 4)
        assert home.judge() != stopped
        judge.close()
    finally:
        os.kill(stopped.pid, signal.SIGKILL)


@pytest.mark.thorough
def test_who_calls_and_says_nothing_is_hung_up_on(call: Callable[[], JudgeLine], home: Any) -> None:
    from multiprocessing.connection import Client

    call().close()
    known = home.judge()
    silent = Client(known.address, known.family)
    assert silent.recv_bytes(256)  # its challenge
    assert silent.poll(line.GREET_SECONDS + 20)
    with pytest.raises((EOFError, OSError)):
        silent.recv_bytes()


def test_whoever_speaks_another_language_is_no_judge(home: Any, tmp_path: Path) -> None:
    from multiprocessing.connection import Listener

    listener = Listener(str(tmp_path / "socket"), "AF_UNIX")

    def babble() -> None:
        with listener.accept() as other, suppress(EOFError):
            other.send_bytes(b"HTTP/1.1 200 OK")
            other.recv_bytes()

    threading.Thread(target=babble, daemon=True).start()
    with pytest.raises(ServiceError):
        line.call(Registration("name", os.getpid(), str(tmp_path / "socket"), "AF_UNIX", "00" * 32, "c", "full", 0.0))
    listener.close()


def test_private_judge_that_nobody_calls_ends(tiny_course: Path, tmp_path: Path) -> None:
    """The command that started it was killed before it could call."""
    from grader.service.purpose import Purpose

    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    purpose = Purpose.now(folder, tiny_course / "course.yml", "process", is_private=True)
    hurried = "from grader.service import server; server.CALLED_SECONDS = server.LOOK_SECONDS = 0.5; server.main()"
    process = subprocess.Popen([sys.executable, "-c", hurried, *purpose.to_arguments()])
    try:
        assert process.wait(60) == 0
    finally:
        process.kill()
    assert not folder.exists()


@pytest.mark.thorough
def test_judge_reached_from_a_temporary_folder_with_a_long_name(
    home: Any, tiny_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No socket can be made there."""
    far = tmp_path / ("far" * 30)
    far.mkdir()
    monkeypatch.setenv("TMPDIR", str(far))
    judge = JudgeLine(home.folder, tiny_course / "course.yml", "process")
    assert graded(judge, "any", RIGHT) == ("any", 4)
    judge.close()


def test_size_of_who_started_a_judge_is_not_its_own(tmp_path: Path) -> None:
    mebibyte = 1024**2
    program = (
        "import subprocess, sys\n"
        f"ballast = bytearray(300 * {mebibyte})\n"
        "ask = 'from grader.service.server import peak_bytes; print(peak_bytes())'\n"
        "print(subprocess.run([sys.executable, '-c', ask], capture_output=True, text=True, check=True).stdout)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert mebibyte < int(done.stdout) < 200 * mebibyte


@pytest.mark.thorough
def test_private_judge_that_broke_or_is_stale_leaves_nothing_and_its_folder_is_not_used_again(
    tiny_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it is gone, another user might make the folder of that name."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setenv("TMPDIR", str(room))
    monkeypatch.setattr("tempfile.tempdir", str(room))
    judge = JudgeLine(None, tiny_course / "course.yml", "process")
    folders = []
    for end in ("not at all", "edited", "killed"):
        assert judge._known and judge._private
        if end == "edited":
            checks = tiny_course / "tests" / "checks" / "01_parts" / "01_share.py"
            checks.write_text(checks.read_text() + "\n")
        if end == "killed":
            os.kill(judge._known.pid, signal.SIGKILL)
        assert graded(judge, end, RIGHT) == (end, 4)
        assert judge._private.stat().st_mode & 0o077 == 0
        folders.append(judge._private)
    assert len(set(folders)) == 3
    judge.close()
    deadline = time.monotonic() + 30
    while any(room.glob("kata-*/socket")):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert not any(folder.exists() for folder in folders)


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [{"key": "no key"}, {"address": ""}, {"pid": "me"}],
                         ids=["key", "address", "process"])  # fmt: skip
def test_damaged_registration_is_replaced(damage: dict[str, str], call: Callable[[], JudgeLine], home: Any) -> None:
    call().close()
    known = home.judge()
    path = home.folder / f"{known.name}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    judge = call()
    assert graded(judge, "any", RIGHT) == ("any", 4)
    assert home.judge() != known
    judge.close()
