"""A judge that is kept warm says what a new one says, for its own user only, and is gone when it is of no use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.service.line import Request
from grader.service.place import Registration, all_registered, registered

pytestmark = pytest.mark.timeout(600)

SEED = 5
ALONE = {"KATA_SERVICE": "0"}
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
SLOW = "import time\n\n\ndef share(amounts):\n    time.sleep(2)\n    return amounts / amounts.sum(-1, keepdim=True)\n"
CRASHES = "tests/checks/01_parts/01_share.py"


@pytest.fixture
def answer(tiny_course: Path) -> Callable[[str], Path]:
    """Writes the learner's file."""

    def write(source: str) -> Path:
        path = tiny_course / "exercises" / "01_parts" / "01_share.py"
        path.write_text(source)
        return path

    return write


def record_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The record that was printed, without what differs from run to run."""
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    for exercise in record["exercises"]:
        exercise["seconds"] = 0.0
    return record


@pytest.mark.thorough
@pytest.mark.parametrize("source", [RIGHT, WRONG, "def share(amounts:\n", "raise SystemExit\n"],
                         ids=["right", "wrong", "not Python", "ends"])  # fmt: skip
@pytest.mark.parametrize("level", ["best", "process"])
def test_record_is_that_of_a_judge_for_itself_alone(
    level: str, source: str, answer: Callable[[str], Path], home: Any, kata: Callable[..., Any], tiny_course: Path
) -> None:
    command = ("grade", answer(source), "--json", "-", "--seed", SEED, "--isolation", level)
    warm = [record_of(home.kata(*command, cwd=tiny_course)) for _ in range(2)]
    assert home.judge().course == str(tiny_course / "course.yml")
    cold = record_of(kata(*command, cwd=tiny_course, env=ALONE))
    assert warm == [cold, cold]


def test_one_judge_serves_all_commands(answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    answer(WRONG)
    assert home.kata("check", cwd=tiny_course).returncode == 1
    judge = home.judge()
    assert home.kata("grade", "exercises", "--isolation", "best", cwd=tiny_course).returncode == 0
    assert home.kata("report", cwd=tiny_course).returncode == 0
    told = home.run(cwd=tiny_course, env=home.environment)
    assert told.returncode == 0
    assert home.judges() == [judge]


@pytest.mark.thorough
def test_plain_pytest_asks_it_too_and_loads_no_torch(
    answer: Callable[[str], Path], home: Any, tiny_course: Path, run_command: Callable[..., Any]
) -> None:
    answer(WRONG)
    home.kata("check", cwd=tiny_course)
    judge = home.judge()
    program = (
        "import pytest, sys; status = pytest.main(['-p', 'no:cacheprovider']); print('torch' in sys.modules, status)"
    )
    done = run_command(sys.executable, "-c", program, cwd=tiny_course, env=home.environment)
    assert done.stdout.splitlines()[-1] == "False 1"
    assert "Probably: You divided by one sum of everything." in done.stdout
    assert home.judges() == [judge]


@pytest.mark.thorough
def test_time_limit_of_pytest_is_none_for_the_judge(
    answer: Callable[[str], Path], home: Any, tiny_course: Path, run_command: Callable[..., Any]
) -> None:
    """The judge has a clock for the learner's code; how long others are before it, or it takes to begin, is no fault."""
    answer("import time\n\ntime.sleep(2)\n\n\n" + RIGHT)
    done = run_command(
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "timeout=1", cwd=tiny_course,
        env=home.environment,
    )  # fmt: skip
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


def test_stub_that_nobody_touched_starts_none(home: Any, tiny_course: Path) -> None:
    assert home.kata("check", cwd=tiny_course).returncode == 0
    assert home.judges() == []


@pytest.mark.thorough
def test_commands_at_once_share_one(answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    path = answer(WRONG)
    done: list[Any] = []

    def grade() -> None:
        command = ("grade", path, "--json", "-", "--seed", SEED, "--isolation", "best")
        done.append(record_of(home.kata(*command, cwd=tiny_course)))

    threads = [threading.Thread(target=grade) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4 and all(each == done[0] for each in done)
    assert home.judge()


@pytest.mark.thorough
@pytest.mark.parametrize("place", ["tests/checks/01_parts/01_share.py", "course.yml", "solutions/01_parts/01_share.py"],
                         ids=["checks", "catalogue", "reference"])  # fmt: skip
def test_changed_course_counts_at_once(place: str, answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    answer(RIGHT)
    assert "4 of 4 points" in home.kata("check", cwd=tiny_course).stdout
    before = home.judge()
    changed = tiny_course / place
    changed.write_text(changed.read_text().replace("Parts of a whole", "Shares of a whole") + "\n")
    assert home.kata("check", cwd=tiny_course).returncode == 0
    deadline = time.monotonic() + 60
    while is_running(before.pid):  # it looks from time to time whether it is still of use
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert home.judge() != before


@pytest.mark.thorough
def test_check_that_was_changed_decides(answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    answer(RIGHT)
    assert "4 of 4 points" in home.kata("check", cwd=tiny_course).stdout
    checks = tiny_course / "tests" / "checks" / "01_parts" / "01_share.py"
    checks.write_text(checks.read_text().replace("[0.25, 0.25, 0.5]", "[0.5, 0.25, 0.25]"))
    told = home.kata("check", cwd=tiny_course)
    assert told.returncode == 1 and "3 of 4 points" in told.stdout


@pytest.mark.thorough
def test_module_that_checks_import_decides_as_it_is_now(
    answer: Callable[[str], Path], home: Any, tiny_course: Path
) -> None:
    """It lies beside what a judge is known to read."""
    answer(RIGHT)
    helper = tiny_course / "tests" / "common" / "parts_of_all.py"
    helper.parent.mkdir()
    helper.write_text("PARTS = [0.25, 0.25, 0.5]\n")
    found = f"import sys\n\nimport torch\nsys.path.insert(0, {str(helper.parent)!r})\nfrom parts_of_all import PARTS\n"
    checks = tiny_course / "tests" / "checks" / "01_parts" / "01_share.py"
    text = checks.read_text().replace("[0.25, 0.25, 0.5]", "PARTS").replace("import torch\n", found, 1)
    checks.write_text(text)
    assert "4 of 4 points" in home.kata("check", cwd=tiny_course).stdout
    helper.write_text("PARTS = [0.5, 0.25, 0.25]\n")
    told = home.kata("check", cwd=tiny_course)
    assert told.returncode == 1 and "3 of 4 points" in told.stdout


@pytest.mark.thorough
def test_judge_killed_between_two_commands_is_replaced(
    answer: Callable[[str], Path], home: Any, tiny_course: Path
) -> None:
    answer(RIGHT)
    assert home.kata("check", cwd=tiny_course).returncode == 0
    os.kill(home.judge().pid, signal.SIGKILL)
    assert home.kata("check", cwd=tiny_course).returncode == 0
    assert home.judge()


@pytest.mark.thorough
def test_judge_killed_at_work_costs_one_more_try_and_no_verdict(
    answer: Callable[[str], Path], home: Any, tiny_course: Path, kata: Callable[..., Any]
) -> None:
    path = answer(SLOW)
    command = ("grade", path, "--json", "-", "--seed", SEED, "--isolation", "best")
    with begun(home, command, tiny_course) as (process, judge):
        os.kill(judge.pid, signal.SIGKILL)
        out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    served = record_of(subprocess.CompletedProcess([], 0, out, err))
    assert served == record_of(kata(*command, cwd=tiny_course, env=ALONE))
    assert home.judge() != judge


@pytest.mark.thorough
def test_submission_that_ends_every_judge_is_told_so(
    answer: Callable[[str], Path], home: Any, tiny_course: Path
) -> None:
    """No such submission is known; here it is a check that ends the judge's process."""
    path = answer(WRONG)
    checks = tiny_course / CRASHES
    ends = "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n    expect(parts"
    checks.write_text(checks.read_text().replace("    expect(parts", ends))
    done = home.kata("grade", path, "--isolation", "best", cwd=tiny_course)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "The judge broke, twice over this: there is no verdict.\n"


@pytest.mark.thorough
def test_judge_that_works_for_nobody_any_more_ends(answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    answer("import time\n\n\ndef share(amounts):\n    time.sleep(60)\n")
    with begun(home, ("check",), tiny_course) as (process, judge):
        process.kill()
        process.wait()
        started = time.monotonic()
        while is_running(judge.pid):
            assert time.monotonic() - started < 30
            time.sleep(0.1)
    assert registered(home.folder, judge.name) is None


@pytest.mark.thorough
def test_doctor_shows_it_and_ends_it(answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    assert home.kata("doctor", "--stop-judges", cwd=tiny_course).stdout == "No judge was kept warm.\n"
    answer(RIGHT)
    home.kata("check", cwd=tiny_course)
    judge = home.judge()
    told = home.kata("doctor", cwd=tiny_course).stdout
    assert f"A judge is kept warm (process {judge.pid}, level {judge.level}) for {judge.course}" in told
    assert home.kata("doctor", "--stop-judges", cwd=tiny_course).stdout == "Ended: 1.\n"
    assert home.judges() == []
    deadline = time.monotonic() + 20
    while is_running(judge.pid):  # it has still to end what runs learners' code
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not Path(judge.address).parent.exists()


@pytest.mark.thorough
def test_switch_does_without(
    answer: Callable[[str], Path], home: Any, tiny_course: Path, kata: Callable[..., Any]
) -> None:
    answer(RIGHT)
    assert kata("check", cwd=tiny_course, env={**home.environment, **ALONE}).returncode == 0
    assert home.judges() == []
    told = kata("doctor", cwd=tiny_course, env={**home.environment, **ALONE}).stdout
    assert "No judge is kept warm: KATA_SERVICE is 0." in told


def test_idle_judge_ends(home: Any, tiny_course: Path) -> None:
    from grader.service.client import _launch
    from grader.service.purpose import Purpose

    purpose = Purpose.now(home.folder, tiny_course / "course.yml", "process")
    hurried = (
        "import sys; from grader.service import server; server.IDLE_SECONDS = server.LOOK_SECONDS = 0.5; server.main()"
    )
    assert _launch  # the same arguments, in a process that is told to hurry
    process = subprocess.Popen([sys.executable, "-c", hurried, *purpose.to_arguments()])
    assert process.wait(60) == 0
    assert registered(home.folder, purpose.name) is None


@pytest.mark.thorough
def test_third_judge_ends_the_oldest(home: Any, tmp_path: Path, make_course: Callable[..., Path]) -> None:
    judges: list[Registration] = []
    for number in range(3):
        course = make_course(tmp_path / f"course{number}", "01_parts/01_share")
        (course / "exercises" / "01_parts" / "01_share.py").write_text(RIGHT)
        assert home.kata("check", cwd=course).returncode == 0
        judges += [each for each in home.judges() if each not in judges]
    deadline = time.monotonic() + 60
    while is_running(judges[0].pid):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert {each.pid for each in home.judges()} == {each.pid for each in judges[1:]}


# --- only its own user ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("spoil", [lambda folder: folder.chmod(0o755), lambda folder: linked(folder)],
                         ids=["others may look in", "it is a link"])  # fmt: skip
def test_folder_that_is_not_the_users_alone_is_not_used(
    spoil: Callable[[Path], object], answer: Callable[[str], Path], home: Any, tiny_course: Path
) -> None:
    answer(RIGHT)
    spoil(home.folder)
    try:
        assert "4 of 4 points" in home.kata("check", cwd=tiny_course).stdout
        assert not list(all_registered(home.folder))
        assert "No judge can be kept warm: " in home.kata("doctor", cwd=tiny_course).stdout
    finally:
        if home.folder.is_symlink():
            home.folder.unlink()
            home.folder.mkdir(mode=0o700)
        home.folder.chmod(0o700)


def linked(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.rmdir()
    folder.symlink_to(elsewhere)


@pytest.mark.thorough
@pytest.mark.parametrize("knows", ["the key", "another key"])
def test_nobody_else_is_answered(knows: str, answer: Callable[[str], Path], home: Any, tiny_course: Path) -> None:
    """Another user who has found everything out, and the same user with another key."""
    if knows == "the key" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    answer(RIGHT)
    home.kata("check", cwd=tiny_course)
    judge = home.judge()
    Path(judge.address).parent.chmod(0o755)
    Path(judge.address).chmod(0o777)
    key = judge.key if knows == "the key" else "00" * 32
    program = (
        "import os, socket, hashlib, hmac, sys\n"
        "from multiprocessing.connection import Client, answer_challenge, deliver_challenge\n"
        "from multiprocessing import AuthenticationError\n"
        f"{'os.setuid(65534)' if knows == 'the key' else ''}\n"
        f"line = Client({judge.address!r}, {judge.family!r})\n"
        "try:\n"
        f"    answer_challenge(line, bytes.fromhex({key!r})); deliver_challenge(line, bytes.fromhex({key!r}))\n"
        f"    line.send_bytes({Request('checks', 1, ('share',)).to_bytes()!r}); print(line.recv_bytes())\n"
        "except (EOFError, OSError, AuthenticationError) as error:\n"
        "    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout == "refused\n"
    assert home.kata("check", cwd=tiny_course).returncode == 0 and home.judge() == judge


def test_address_that_leads_to_another_users_process_is_not_talked_to(home: Any, tmp_path: Path) -> None:
    """Somebody took the place of a judge's socket and waits there for submissions."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    from grader.service.line import call
    from grader.service.place import ServiceError

    address = str(tmp_path / "socket")
    tmp_path.chmod(0o777)
    listening = (
        "import os, socket\nfrom multiprocessing.connection import Listener\nos.setuid(65534)\n"
        f"listener = Listener({address!r}, 'AF_UNIX')\nprint('ready', flush=True)\n"
        "line = listener.accept()\n"
        "try:\n    print('got', line.recv_bytes(), flush=True)\nexcept EOFError:\n    print('nothing', flush=True)\n"
    )
    around = [folder for folder in (tmp_path, *tmp_path.parents) if folder.stat().st_uid == 0 and folder != Path("/")]
    for folder in around:
        folder.chmod(folder.stat().st_mode | 0o011)
    process = subprocess.Popen([sys.executable, "-c", listening], stdout=subprocess.PIPE, text=True, cwd="/")
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    with pytest.raises(ServiceError):
        call(Registration("name", process.pid, address, "AF_UNIX", "00" * 32, "course", "full", 0.0))
    assert process.communicate(timeout=30)[0] == "nothing\n"


@pytest.mark.thorough
def test_where_nobody_tells_whose_process_it_is_the_key_decides(
    answer: Callable[[str], Path], home: Any, tiny_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from grader.service import line as lines
    from grader.service.place import ServiceError

    answer(RIGHT)
    home.kata("check", cwd=tiny_course)
    judge = home.judge()
    monkeypatch.setattr(lines, "peer_of", lambda line: None)
    lines.call(judge).close()
    with pytest.raises(ServiceError):
        lines.call(replace(judge, key="00" * 32))


# --- what the tests share ------------------------------------------------------------------------------------------


class begun:
    """A command that has begun to ask a judge: its process, and the judge that is at work for it."""

    def __init__(self, home: Any, command: tuple[object, ...], cwd: Path) -> None:
        environment = {**os.environ, **home.environment, "PYTHONUTF8": "1", "NO_COLOR": "1"}
        program = [str(Path(sys.executable).with_name("kata")), *map(str, command)]
        self._home = home
        self._process = subprocess.Popen(
            program, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self) -> tuple[subprocess.Popen[str], Registration]:
        deadline = time.monotonic() + 120
        while not (known := list(all_registered(self._home.folder))) or not has_workers(known[0].pid):
            assert time.monotonic() < deadline and self._process.poll() is None
            time.sleep(0.1)
        return self._process, known[0]

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def has_workers(pid: int) -> bool:
    """Whether a judge's zygote has forked a worker."""
    table = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in table.splitlines()[1:]]
    children = {int(row[0]) for row in rows if int(row[1]) == pid}
    for _ in range(3):  # bubblewrap stands between judge and zygote
        children |= {int(row[0]) for row in rows if int(row[1]) in children}
    return len(children) >= WORKING


WORKING = 4
"""Processes below a judge that has a worker at work: bubblewrap twice, the zygote, the worker."""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
