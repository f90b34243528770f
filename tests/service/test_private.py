"""Nobody but its user talks to a warm judge, and nobody else is taken for one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener, answer_challenge, deliver_challenge
from pathlib import Path

import pytest

from grader.files import demand_own
from grader.service import client
from grader.service.client import (
    Registration,
    ServiceError,
    judge_name,
    judges_folder,
    register,
    registered,
    running_judges,
)
from tests.service.conftest import RIGHT, Home, graded

pytestmark = pytest.mark.timeout(600)

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.mark.thorough
def test_folder_that_is_not_the_users_alone_is_not_used(home: Home) -> None:
    """Here it is a link; what else is refused: tests/test_cache_folder.py."""
    elsewhere = home.folder.rename(home.folder.with_name("elsewhere"))
    home.folder.symlink_to(elsewhere)
    with pytest.raises(ServiceError):
        judges_folder()
    home.answer(RIGHT)
    assert "4 / 4" in home.kata("check").stdout, "the command grades by itself"
    assert "No judge can be kept warm: " in home.kata("doctor").stdout
    assert not list(elsewhere.glob("*.json"))
    home.folder.unlink()
    elsewhere.rename(home.folder)


AS_NOBODY = f"""\
import os, sys
from multiprocessing.connection import Client
os.setgid({NOBODY})
os.setuid({NOBODY})
for attempt in (lambda: open(sys.argv[1]), lambda: Client(sys.argv[2])):
    try:
        print("reached", attempt())
    except PermissionError:
        print("refused")
"""


@needs_root
def test_another_user_reads_no_key_and_reaches_no_socket(home: Home) -> None:
    home.warm()
    judge = home.judge()
    place = home.folder / f"{judge.name}.json"
    assert place.stat().st_mode & 0o777 == 0o600
    demand_own(home.folder)
    demand_own(Path(judge.address).parent)
    for folder in home.folder.parents:
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    program = (sys.executable, "-c", AS_NOBODY, place, judge.address)
    assert subprocess.run(program, capture_output=True, text=True, cwd="/").stdout == "refused\nrefused\n"


@pytest.mark.thorough
def test_nobody_is_answered_without_the_key(home: Home) -> None:
    judge = home.warm()
    known = home.judge()
    with Client(known.address) as caller, pytest.raises((EOFError, OSError, AuthenticationError)):
        answer_challenge(caller, bytes(32))
        deliver_challenge(caller, bytes(32))
        caller.send_bytes(client.REQUEST.dump_json(client.Request()))
        caller.recv_bytes()
    assert home.judge() == known and graded(judge, RIGHT) == ("somebody", 4)


def test_who_calls_and_says_nothing_holds_nobody_up(home: Home) -> None:
    judge = home.warm()
    silent = [Client(home.judge().address) for _ in range(3)]
    assert graded(judge, RIGHT) == ("somebody", 4)
    for connection in silent:
        connection.close()


# --- who is taken for a judge --------------------------------------------------------------------------------------


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a name short enough for a socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def plant(home: Home, **changed: object) -> Registration:
    """Register a judge that isn't one."""
    course = home.course / "course.yml"
    judge = Registration(
        judge_name(course, "process"), os.getpid(), "/nowhere/socket", "00" * 32, str(course), "process"
    )
    register(home.folder, replace(judge, **changed))  # type: ignore[arg-type]
    return judge


@needs_root
def test_socket_in_the_folder_of_another_user_is_not_called(home: Home, place: Path) -> None:
    """A judge is dead, and somebody has taken the place of its socket and waits there for submissions."""
    with suppress(FileNotFoundError), Listener(str(place / "socket"), "AF_UNIX") as listener:  # it is removed
        os.chown(place, NOBODY, NOBODY)
        plant(home, address=str(place / "socket"))
        assert running_judges() == []
        listener._listener._socket.settimeout(0)
        with pytest.raises(BlockingIOError):  # nobody waits to be let in
            listener.accept()


@pytest.mark.parametrize("says", [b"HTTP/1.1 200 OK", b"#CHALLENGE#" + b"0" * 20, b""],
                         ids=["another language", "a challenge", "nothing"])  # fmt: skip
def test_who_does_not_know_the_key_is_no_judge(
    says: bytes, home: Home, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "GREET_SECONDS", 0.5)
    received: list[bytes] = []

    def pretend() -> None:
        with listener.accept() as other, suppress(EOFError, OSError):
            if says:
                other.send_bytes(says)
            received.append(other.recv_bytes())  # an answer to the challenge
            other.send_bytes(b"#WELCOME#")
            received.append(other.recv_bytes())  # a challenge
            other.send_bytes(b"0" * 16)
            received.extend(other.recv_bytes() for _ in range(2))

    with suppress(FileNotFoundError), Listener(str(place / "socket"), "AF_UNIX") as listener:  # it is removed
        thread = threading.Thread(target=pretend, daemon=True)
        thread.start()
        plant(home, address=str(place / "socket"))
        assert running_judges() == [] and registered(home.folder) == []
        thread.join(30)
    assert not any(b"submission" in each for each in received)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="its socket is gone"),
        pytest.param({"address": "socket"}, id="its socket is left"),  # as when a judge is killed
        pytest.param({"address": ""}, id="no address"),
        pytest.param({"address": "socket", "key": "no key"}, id="no key"),
    ],
)
def test_registration_of_no_judge_is_removed(changed: dict[str, str], home: Home, place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place / "socket"))
    plant(home, **{name: str(place / "socket") if text == "socket" else text for name, text in changed.items()})
    assert running_judges() == [] and registered(home.folder) == []
    assert place.exists() == (changed.get("address") != "socket")
    place.mkdir(exist_ok=True)


@pytest.mark.parametrize("damage", [{"key": "00" * 32}, {"more": 1}], ids=["another key", "another version"])
def test_damaged_registration_is_replaced(damage: dict[str, object], home: Home) -> None:
    home.warm()
    known = home.judge()
    path = home.folder / f"{known.name}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    home.warm()
    assert home.judge() != known


@pytest.mark.thorough
def test_judge_is_reached_from_a_temporary_folder_with_a_long_name(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No socket can be made there."""
    far = tmp_path / ("far" * 30)
    far.mkdir()
    monkeypatch.setenv("TMPDIR", str(far))
    assert graded(home.warm(), RIGHT) == ("somebody", 4)
