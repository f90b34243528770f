"""Full isolation for a user who is not root, with a Python that lives under a private home."""

import os
import subprocess

import pytest

from tests.for_all_users import copied_for_all

NOBODY = 65534

PROBE = """
from contextlib import closing
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds
with closing(Sandbox({level!r})) as sandbox:
    worker = sandbox.spawn(Bounds())
    worker.await_ready(60)
    worker.close()
print("locked")
"""


@pytest.fixture(scope="module")
def private_home():
    """A home of another user's, closed to all others, with a Python and the packages in it."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user; the whole suite then runs as an ordinary user anyway")
    with copied_for_all() as home:
        os.chown(home, NOBODY, NOBODY)
        home.chmod(0o700)
        yield home


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["full", "reduced", "process"])
def test_a_worker_is_locked_down(private_home, level):
    done = subprocess.run(
        [private_home / "env" / "bin" / "python", "-c", PROBE.format(level=level)],
        cwd=private_home / "project",
        env={"PATH": "/usr/bin:/bin", "HOME": str(private_home), "PYTHONPATH": str(private_home / "project")},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.stdout.strip() == "locked", done.stderr
