"""Full isolation for a user who is not root, with a Python that lives under a private home."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import grader

NOBODY = 65534

PROBE = """
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import Bounds
with Sandbox({level!r}) as sandbox:
    worker = sandbox.spawn(Bounds())
    worker.await_ready(60)
    worker.close()
print("locked")
"""


def link_tree(source: Path, target: Path) -> None:
    """Copy a tree by hard links where the file system allows it."""
    if subprocess.run(["cp", "-al", str(source), str(target)], capture_output=True, check=False).returncode:
        shutil.copytree(source, target, symlinks=True)


@pytest.fixture(scope="module")
def private_home(tmp_path_factory):
    """A home of another user's, closed to all others, with a Python and the packages in it."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user; the whole suite then runs as an ordinary user anyway")
    # outside of pytest's own folder, which only root may enter
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    try:
        link_tree(Path(sys.base_prefix), home / "python")
        link_tree(Path(sys.prefix) / "lib", home / "env-lib")
        environment = home / "env"
        (environment / "bin").mkdir(parents=True)
        (home / "env-lib").rename(environment / "lib")
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        (environment / "bin" / "python").symlink_to(home / "python" / "bin" / version)
        (environment / "pyvenv.cfg").write_text(f"home = {home}/python/bin\ninclude-system-site-packages = false\n")
        shutil.copytree(Path(grader.__file__).parent, home / "project" / "grader")
        os.chown(home, NOBODY, NOBODY)
        home.chmod(0o700)
        yield home
    finally:
        shutil.rmtree(home)


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
