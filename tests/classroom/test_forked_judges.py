"""Judges of one pool are forks of a process that knows the program and nothing of the course."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.classroom.judging import SHARING
from grader.sandbox.levels import has_zygotes

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not has_zygotes(), reason="here every judge starts by itself"),
]

POOL = """\
import json, os, sys, time
from concurrent.futures import wait
from pathlib import Path

from grader.classroom.grading_terms import run_of
from grader.classroom.judging import Judges, start_ahead
from grader.course import load_course
from processes import children



if __name__ == "__main__":
    course, count = Path(sys.argv[1]), int(sys.argv[2])
    start_ahead("process")
    judges = Judges(count, run_of(load_course(course), "process", 5))
    wait([judges.submit(time.sleep, 3) for _ in range(count)])  # each, however quick the first is
    (server,) = children(os.getpid(), b"forkserver")
    own = children(server, b"forkserver")
    print(json.dumps({
        "judges": own,
        "shared": len(children(os.getpid(), b"inside.zygote")),
        "own": [len(children(judge, b"inside.zygote")) for judge in own],
        "threads": len(os.listdir(f"/proc/{server}/task")),
    }))
    judges.shutdown(cancel_futures=True)
"""


def test_judges_are_forks_of_one_thread_and_the_first_of_them_share_a_zygote(course_root: Path) -> None:
    """A pool with one judge more than share a zygote: this one has its own."""
    command = [sys.executable, "-c", POOL, course_root / "course.yml", str(SHARING + 1)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen["judges"]) == SHARING + 1, "each is a process of its own"
    assert seen["shared"] == 1 and sorted(seen["own"]) == [0] * SHARING + [1]
    assert seen["threads"] == 1
