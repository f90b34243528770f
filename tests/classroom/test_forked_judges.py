"""Judges of one pool are forks of a process that knows the program and nothing of the course."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.classroom.judging import SHARING, can_fork

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not can_fork(), reason="here every judge starts by itself"),
]

POOL = """\
import json, os, sys, time
from concurrent.futures import wait
from pathlib import Path

from grader.classroom.judging import start_ahead
from grader.classroom.pool import Judges
from grader.classroom.grading_terms import Terms


def command(pid):
    for _ in range(500):  # while it is being started it has none
        if found := Path(f"/proc/{pid}/cmdline").read_bytes():
            break
        time.sleep(0.01)
    return found


def commands(parent):
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child), command(child)


def zygotes(parent):
    return sum(b"inside.zygote" in line for _, line in commands(parent))


def threads(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


if __name__ == "__main__":
    course, count = Path(sys.argv[1]), int(sys.argv[2])
    start_ahead("process")
    judges = Judges(count, Terms(course, "process", 5))
    asked = [seat.submit(os.getpid) for seat in judges._judges]  # each, however quick the first is
    wait(asked)
    own = [each.result() for each in asked]
    (server,) = [pid for pid, line in commands(os.getpid()) if b"forkserver" in line]
    forked = [pid for pid, line in commands(server) if b"forkserver" in line]
    print(json.dumps({
        "judges": sorted(set(own)),
        "forked": sorted(forked),
        "shared": zygotes(server),
        "own": [zygotes(judge) for judge in own],
        "threads": threads(server),
    }))
    judges.shutdown(cancel_futures=True)
"""


@pytest.fixture(scope="module")
def pool(course_root: Path) -> dict[str, list[int]]:
    """What was seen of a pool with one judge more than share a zygote."""
    command = [sys.executable, "-c", POOL, course_root / "course.yml", str(SHARING + 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


@pytest.mark.thorough
def test_every_judge_is_a_process_of_its_own_and_a_fork(pool: dict[str, list[int]]) -> None:
    assert len(pool["judges"]) == SHARING + 1
    assert pool["judges"] == pool["forked"]


def test_the_first_judges_share_a_zygote_and_the_others_have_their_own(pool: dict[str, list[int]]) -> None:
    assert pool["shared"] == 1
    assert sorted(pool["own"]) == [0] * SHARING + [1]


def test_what_judges_are_forked_from_has_one_thread(pool: dict[str, list[int]]) -> None:
    assert pool["threads"] == 1
