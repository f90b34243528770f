"""What docs/server.md says of containers, as far as it can be tried without one: the profile, the image's file, the flags."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox.doctor import strongest_level

ROOT = Path(__file__).resolve().parents[2]
SECCOMP = ROOT / "docker" / "seccomp.json"
PROFILE = json.loads(SECCOMP.read_text("utf-8"))
DENIED = [name for rule in PROFILE["syscalls"] for name in rule["names"]]
IMAGE = (ROOT / "docker" / "Dockerfile").read_text("utf-8")
GUIDE = (ROOT / "docs" / "server.md").read_text("utf-8")
KATA = Path(sys.executable).with_name("kata")

MAKE_THE_WALL = """
clone unshare mount umount2 pivot_root setns prctl seccomp capset setuid
landlock_create_ruleset landlock_add_rule landlock_restrict_self pidfd_send_signal
"""
"""What bubblewrap, Landlock and the judge call."""
REACH_BEYOND = "init_module kexec_load reboot bpf ptrace keyctl open_by_handle_at"

UNDER_PROFILE = """
import errno, json, os, sys
import pyseccomp

profile = json.load(open(sys.argv[1]))
assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
filter = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for rule in profile["syscalls"]:
    for name in rule["names"]:
        try:
            filter.add_rule(pyseccomp.ERRNO(rule["errnoRet"]), name)
        except (OSError, ValueError, RuntimeError):
            pass  # a call that this processor does not have
filter.load()
os.execv(sys.argv[2], sys.argv[2:])
"""
CALL = """
import ctypes, pyseccomp, sys
libc = ctypes.CDLL(None, use_errno=True)
number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, sys.argv[1])
print(libc.syscall(number, 0, 0, 0, 0), ctypes.get_errno())
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FULL = pytest.mark.skipif(strongest_level() != "full", reason="needs a machine that can isolate in full")


def under_profile(run_command: Run, cwd: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a Python program with the container's calls alone."""
    return run_command(sys.executable, "-c", UNDER_PROFILE, SECCOMP, sys.executable, *words, cwd=cwd)


def test_the_profile_is_of_the_form_that_docker_reads() -> None:
    # no "defaultErrnoRet": with an action that allows, crun (Podman's) takes it for a mistake and starts nothing
    assert set(PROFILE) == {"defaultAction", "archMap", "syscalls"}
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ERRNO"}
    assert all(rule["errnoRet"] == 1 and rule["comment"] for rule in PROFILE["syscalls"])
    assert len(DENIED) == len(set(DENIED))


def test_what_makes_the_wall_is_allowed_and_what_reaches_beyond_a_container_is_not() -> None:
    assert not set(MAKE_THE_WALL.split()) & set(DENIED)
    assert set(REACH_BEYOND.split()) <= set(DENIED)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="seccomp is Linux's")
@pytest.mark.parametrize("call", ["keyctl", "ptrace"])
def test_a_denied_call_fails_under_the_profile(call: str, run_command: Run, tmp_path: Path) -> None:
    done = under_profile(run_command, tmp_path, "-c", CALL, call)
    assert done.stdout.split() == ["-1", "1"], done.stderr


@FULL
@pytest.mark.thorough
def test_doctor_finds_full_isolation_under_the_profile_and_a_submission_is_graded_so(
    run_command: Run, tiny_course: Path
) -> None:
    place = tiny_course.parent
    done = under_profile(run_command, place, KATA, "doctor")
    assert done.returncode == 0 and "Isolation: full" in done.stdout, done.stdout + done.stderr
    (place / "ada").mkdir()
    (place / "ada" / "share.py").write_text("def share(a):\n    return a / a.sum(-1, keepdim=True)\n")
    grade = (KATA, "grade", "ada", "--course", tiny_course, "--json", "-", "--isolation", "full")
    done = under_profile(run_command, place, *grade)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["isolation"], record["points"]) == ("full", 4)


@FULL
@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to cover a part of /proc")
def test_where_a_part_of_proc_is_covered_doctor_names_it_and_the_next_level_is_taken(
    run_command: Run, tmp_path: Path
) -> None:
    # as Docker and Podman do it; in mounts of this process's own
    covered = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc/bus && exec "$@"', "sh")
    done = run_command(*covered, sys.executable, KATA, "doctor", cwd=tmp_path)
    assert "a /proc of its own is not allowed here" in done.stdout, done.stdout + done.stderr
    assert "Isolation: reduced" in done.stdout


def test_the_image_installs_what_the_wall_is_made_of_and_is_no_roots() -> None:
    assert {"bubblewrap", "libseccomp2"} <= set(IMAGE.split())
    users = re.findall(r"^USER (\S+)$", IMAGE, re.MULTILINE)
    assert users and users[-1] != "root"
    (made,) = re.findall(r"make (\w+)", re.sub(r"#.*", "", IMAGE))
    assert re.search(rf"^{made}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for path in re.findall(r"(docker/[\w.]+)", GUIDE + IMAGE):
        assert (ROOT / path).is_file(), path


def test_no_work_of_learners_and_no_environment_goes_into_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    nothing, *patterns = [line for line in lines if line and not line.startswith("#")]
    assert nothing == "*"
    let_in = [line[1:] for line in patterns if line.startswith("!")]
    assert {"grader", "course.yml", "exercises", "solutions", "tests", "Makefile"} <= set(let_in)
    assert all(any(ROOT.glob(pattern)) for pattern in let_in)
    assert not {".git", ".venv", "build", "out", "OUT", "review", ".kata"} & set(let_in)


def test_the_guide_gives_the_container_no_privileges() -> None:
    flags = re.findall(r"^    .*(?:docker|podman) run[^\n]*(?:\\\n[^\n]*)*", GUIDE, re.MULTILINE)
    assert len(flags) >= 3
    assert not any("--privileged" in each or "--cap-add" in each or "seccomp=unconfined" in each for each in flags)
