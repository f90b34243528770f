"""A call in a fork of a process that has loaded its modules is what a process would be that is started for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

PROBE = Path(__file__).with_name("probe.py")
DESCRIBE = "print(json.dumps(described()))"
ALIKE: dict[str, dict[str, Any]] = {
    "as usual": {},
    "another environment": {"env": {"HOME": "/no", "KATA_NOW": "yesterday", "COLUMNS": "12", "TZ": "Asia/Taipei"}},
    "standard input": {"stdin": "two\nlines, 林美玲"},
    "a large environment": {"env": {"KATA_LONG": "x" * 100_000}},
}
ENDS = {
    "well": "print('out')",
    "with a status": "print('err', file=sys.stderr); sys.exit(3)",
    "by an error": "raise ValueError('said')",
    "by a signal": "os.kill(os.getpid(), 9)",
}
COMMANDS = (
    "--help",
    "check --seed 5",
    "grade exercises --isolation best --seed 5",
    "check nothing",
    "export no --format csv",
)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(run_warm: Callable[..., Run]) -> Run:
    """Runs the probe as a fork."""
    return partial(run_warm("python", PROBE), PROBE)


@pytest.fixture(scope="module")
def cold(run_command: Run) -> Run:
    """Runs the probe as a process that is started anew."""
    return partial(run_command, sys.executable, PROBE)


@pytest.mark.thorough
@pytest.mark.parametrize("how", ALIKE.values(), ids=ALIKE)
def test_a_call_finds_what_a_new_process_finds(how: dict[str, Any], run: Run, cold: Run, tmp_path: Path) -> None:
    came, due = (json.loads(each(DESCRIBE, "b c", cwd=tmp_path, **how).stdout) for each in (run, cold))
    assert came == due


def test_each_call_is_a_process_and_has_chance_of_its_own(run: Run, tmp_path: Path) -> None:
    first, second = (run("print(os.getpid(), random.random())", cwd=tmp_path).stdout.split() for _ in range(2))
    assert first[0] != second[0] and first[1] != second[1]
    assert str(os.getpid()) not in (first[0], second[0])


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_call_ends_as_a_new_process_ends(end: str, run: Run, cold: Run, tmp_path: Path) -> None:
    came, due = run(end, cwd=tmp_path), cold(end, cwd=tmp_path)
    assert (came.returncode, came.stdout) == (due.returncode, due.stdout)
    # a traceback goes through the module that runs the program
    assert came.stderr.splitlines()[-1:] == due.stderr.splitlines()[-1:]


def test_what_takes_too_long_is_ended(run: Run, tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("print(os.getpid(), file=open('pid', 'w'), flush=True); time.sleep(600)", cwd=tmp_path, seconds=2)
    process = Path("/proc", (tmp_path / "pid").read_text().strip())
    deadline = time.monotonic() + 20
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not process.exists()


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
    for command in COMMANDS:
        came, due = (each(*command.split(), cwd=tiny_course) for each in (kata, cold_kata))
        assert (came.returncode, came.stdout, came.stderr) == (due.returncode, due.stdout, due.stderr), command
