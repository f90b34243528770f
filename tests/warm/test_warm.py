"""A call in a fork of a process that has loaded its modules is what a process would be that is started for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .client import is_alike

PROBE = Path(__file__).with_name("probe.py")
ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def run(run_warm: Callable[..., Run]) -> Run:
    """Runs the probe as a fork."""
    warm = run_warm("python", PROBE)
    return lambda *arguments, **how: warm(PROBE, *arguments, **how)


@pytest.fixture(scope="module")
def cold(run_command: Run) -> Run:
    """Runs the probe as a process that is started anew."""
    return lambda *arguments, **how: run_command(sys.executable, PROBE, *arguments, **how)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"env": {"HOME": "/nowhere", "KATA_NOW": "yesterday", "COLUMNS": "12", "TZ": "Asia/Taipei"}},
        {"stdin": "two\nlines, 林美玲"},
        {"env": {"KATA_LONG": "x" * 100_000}},
    ],
    ids=["as usual", "another environment", "standard input", "a large environment"],
)
def test_a_call_finds_what_a_new_process_finds(how: dict[str, Any], run: Run, cold: Run, tmp_path: Path) -> None:
    came, due = (json.loads(each("a", "b c", cwd=tmp_path, **how).stdout) for each in (run, cold))
    assert came == due


@pytest.mark.thorough
def test_each_call_is_a_process_and_has_chance_of_its_own(run: Run, tmp_path: Path) -> None:
    first, second = (run("chance", cwd=tmp_path).stdout.split() for _ in range(2))
    assert first[0] != second[0] and first[1] != second[1]
    assert str(os.getpid()) not in (first[0], second[0])


@pytest.mark.parametrize(
    "arguments", [("end", 0), ("end", 3), ("raise",), ("die", 9)], ids=lambda each: " ".join(map(str, each))
)
def test_a_call_ends_as_a_new_process_ends(arguments: tuple[object, ...], run: Run, cold: Run, tmp_path: Path) -> None:
    came, due = run(*arguments, cwd=tmp_path), cold(*arguments, cwd=tmp_path)
    assert (came.returncode, came.stdout) == (due.returncode, due.stdout)
    # a traceback goes through the module that runs the program
    assert came.stderr.splitlines()[-1:] == due.stderr.splitlines()[-1:]


def test_what_takes_too_long_is_ended(run: Run, tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("stay", cwd=tmp_path, seconds=2)
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{pid}").exists()


def test_a_shell_finds_the_same_command_and_its_signals_arrive(open_warm: Callable[[str], Any], tmp_path: Path) -> None:
    warm = open_warm("python")
    warm.write_stand_in(PROBE, tmp_path)
    done = subprocess.run(
        ["bash", "-c", "probe.py end 4 | tr o O; exit ${PIPESTATUS[0]}"],
        env={**warm._environment, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, "Out\n", "err\n")
    staying = subprocess.Popen(
        [tmp_path / "probe.py", "stay"], cwd=tmp_path, env=warm._environment, stderr=subprocess.PIPE
    )
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert staying.poll() is None
        time.sleep(0.01)
    staying.send_signal(signal.SIGTERM)
    assert staying.wait(20) == -signal.SIGTERM
    staying.communicate()


@pytest.mark.parametrize(
    ("changed", "is_so"),
    [
        ({"KATA_NOW": "1"}, True),
        ({"HOME": "/"}, True),
        ({"PYTHONPATH": "/"}, False),
        ({"OMP_NUM_THREADS": "7"}, False),
        ({"FORCE_COLOR": "1"}, False),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else str(each),
)
def test_an_environment_is_alike_when_only_what_is_read_late_differs(changed: dict[str, str], is_so: bool) -> None:
    known = {"HOME": "/root", "LANG": "C"}
    assert is_alike({**known, **changed}, known) is is_so
    assert is_alike(known, {**known, **changed}) is is_so


def test_a_fork_is_none_where_the_process_would_differ(
    open_warm: Callable[[str], Any], run: Run, tmp_path: Path
) -> None:
    found = run("a", cwd=tmp_path, env={"PYTHONPATH": "/nowhere", "PATH": os.environ["PATH"]})
    assert "/nowhere" in json.loads(found.stdout)["path"]  # it was started anew
    warm = open_warm("python")
    assert warm.is_alike(warm._environment)
    before = os.umask(0o077)
    try:
        assert not warm.is_alike(warm._environment)
    finally:
        os.umask(before)


@pytest.mark.thorough
def test_kata_says_the_same_either_way(kata: Run, cold_kata: Run, tiny_course: Path) -> None:
    (tiny_course / "exercises/01_parts/01_share.py").write_text(
        "def share(amounts):\n    return amounts / amounts.sum()\n"
    )
    commands = [
        ("--help",),
        ("check", "--seed", "5"),
        ("grade", "exercises", "--isolation", "best", "--seed", "5"),
        ("check", "nothing"),
        ("export", "nowhere", "--format", "csv"),
    ]
    for command in commands:
        came, due = kata(*command, cwd=tiny_course), cold_kata(*command, cwd=tiny_course)
        assert (came.returncode, came.stdout, came.stderr) == (due.returncode, due.stdout, due.stderr), command
