"""A call in a fork of a process that has loaded its modules is what a process would be that is started for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROBE = Path(__file__).with_name("probe.py")

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
        pytest.param({}, id="as usual"),
        pytest.param(
            {"env": {"HOME": "/nowhere", "KATA_NOW": "yesterday", "COLUMNS": "12", "TZ": "Asia/Taipei"}},
            id="another environment",
        ),
        pytest.param({"stdin": "two\nlines, 林美玲"}, id="standard input"),
        pytest.param({"env": {"KATA_LONG": "x" * 100_000}}, id="a large environment"),
    ],
)
def test_a_call_finds_what_a_new_process_finds(how: dict[str, Any], run: Run, cold: Run, tmp_path: Path) -> None:
    came, due = (json.loads(each("a", "b c", cwd=tmp_path, **how).stdout) for each in (run, cold))
    assert came == due


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


@pytest.mark.parametrize("name", ["PYTHONPATH", "OMP_NUM_THREADS", "FORCE_COLOR"])
def test_a_process_is_started_where_a_fork_would_differ(name: str, run: Run, tmp_path: Path) -> None:
    first, second = (json.loads(run(cwd=tmp_path, env=env).stdout) for env in ({}, {name: "7"}))
    assert (first["environment"].get(name), second["environment"][name]) == (os.environ.get(name), "7")
    assert ("/7" in "".join(second["path"])) == (name == "PYTHONPATH")


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
