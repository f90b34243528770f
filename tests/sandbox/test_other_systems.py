"""The real commands on a system that lacks what only Linux has (forced: its parts are taken away from every process)."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from ..cases import rows, table

ROOT = Path(__file__).parents[2]
SOFTMAX = Path("exercises", "01_soft_lookup", "03_softmax.py")


TABLES = table(__file__, "elsewhere.yml")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """The environment of a system without fork, pidfds, poll, descriptors over sockets and the modules for them."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(TABLES["sitecustomize"])
    # other libraries' plugins take Linux as given when they see its name
    return {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "ignore", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_forcing_reaches_every_process(elsewhere, run_command, tmp_path):
    code = "import os, subprocess, sys; print(hasattr(os, 'fork')); subprocess.run([sys.executable, '-c', sys.argv[1]])"
    inner = "import os, importlib\ntry:\n    import fcntl\nexcept ImportError: print(hasattr(os, 'pipe2'))"
    done = run_command(sys.executable, "-c", code, inner, cwd=tmp_path, env=elsewhere)
    assert sorted(done.stdout.split()) == ["False", "False"], done.stderr


@pytest.mark.thorough
def test_doctor_says_that_practice_works(elsewhere, cold_kata, tmp_path):
    done = cold_kata("doctor", cwd=tmp_path, env=elsewhere)
    assert "Isolation: process" in done.stdout.splitlines() and "You can practise here" in done.stdout, done.stderr
    assert done.returncode == 3


@pytest.mark.parametrize("level", ["full", "reduced"])
def test_grading_others_is_refused(level, elsewhere, cold_kata, tiny_course):
    done = cold_kata("grade", "exercises", "--isolation", level, cwd=tiny_course, env=elsewhere)
    assert done.returncode == 3 and "cannot isolate" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, elsewhere, cold_kata):
    """A learner's own workspace of the real course."""
    folder = tmp_path_factory.mktemp("workspace") / "mine"
    done = cold_kata("init", folder, cwd=ROOT, env=elsewhere)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_right_answer_passes_in_the_real_course(workspace, elsewhere, cold_kata):
    shutil.copy(ROOT / "solutions" / SOFTMAX.relative_to("exercises"), workspace / SOFTMAX)
    done = cold_kata("check", "softmax", "-v", cwd=workspace, env=elsewhere)
    assert done.returncode == 0 and "1 of 1 exercise passed" in done.stdout, done.stdout + done.stderr
    assert "Isolation: process" in done.stdout


@pytest.mark.thorough
@rows(TABLES["wrong"])
def test_what_is_wrong_is_told_as_everywhere(case, elsewhere, cold_kata, tiny_course):
    (tiny_course / "exercises" / "01_parts" / "01_share.py").write_text(case["source"])
    with (tiny_course / "course.yml").open("a") as course:
        course.write("limits:\n  request_seconds: 3\n  seconds: 6\n")
    there = cold_kata("check", "share", "--seed", 5, cwd=tiny_course, env=elsewhere)
    here = cold_kata("check", "share", "--seed", 5, "--isolation", "process", cwd=tiny_course)
    assert there.returncode == 1 and case["says"] in one_line(there.stdout), there.stdout + there.stderr
    assert there.stdout == here.stdout


@pytest.mark.thorough
def test_no_child_is_left_after_a_check(elsewhere, cold_kata, tiny_course):
    marked = {**elsewhere, "KATA_TEST_MARK": str(tiny_course)}
    (tiny_course / "exercises" / "01_parts" / "01_share.py").write_text("def share(amounts):\n    while True: pass\n")
    cold_kata("check", "share", cwd=tiny_course, env=marked)
    assert not [pid for pid in filter(str.isdigit, os.listdir("/proc")) if str(tiny_course) in _environment_of(pid)]


def _environment_of(pid: str) -> str:
    try:
        return Path("/proc", pid, "environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
