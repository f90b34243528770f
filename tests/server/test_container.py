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
PROFILE = json.loads((ROOT / "docker" / "seccomp.json").read_text("utf-8"))
DENIED = [name for rule in PROFILE["syscalls"] for name in rule["names"]]
IMAGE = (ROOT / "docker" / "Dockerfile").read_text("utf-8")
IGNORED = (ROOT / ".dockerignore").read_text("utf-8")
GUIDE = (ROOT / "docs" / "server.md").read_text("utf-8")

NEEDED = ("clone", "unshare", "mount", "umount2", "pivot_root", "setns", "prctl", "seccomp", "capset", "setuid",
          "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "pidfd_send_signal")  # fmt: skip
"""What bubblewrap, Landlock and the judge call to make the wall."""

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


def test_the_profile_is_of_the_form_that_docker_reads() -> None:
    # no "defaultErrnoRet": with an action that allows, crun (Podman's) takes it for a mistake and starts nothing
    assert set(PROFILE) == {"defaultAction", "archMap", "syscalls"}
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ERRNO"}
    assert all(rule["errnoRet"] == 1 and rule["comment"] for rule in PROFILE["syscalls"])
    assert len(DENIED) == len(set(DENIED))


def test_nothing_that_the_wall_is_made_of_is_denied() -> None:
    assert not set(NEEDED) & set(DENIED)


@pytest.mark.parametrize(
    "name", ["init_module", "kexec_load", "reboot", "bpf", "ptrace", "keyctl", "open_by_handle_at"]
)
def test_what_reaches_beyond_a_container_is_denied(name: str) -> None:
    assert name in DENIED


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="seccomp is Linux's")
@pytest.mark.parametrize("call", ["keyctl", "ptrace"])
def test_a_denied_call_fails_under_the_profile(call: str, run_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:  # fmt: skip
    ask = (
        "import ctypes, pyseccomp, sys; libc = ctypes.CDLL(None, use_errno=True);"
        f"number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, {call!r});"
        "print(libc.syscall(number, 0, 0, 0, 0), ctypes.get_errno())"
    )
    done = run_command(sys.executable, "-c", UNDER_PROFILE, ROOT / "docker/seccomp.json", sys.executable, "-c", ask, cwd=tmp_path)  # fmt: skip
    assert done.stdout.split() == ["-1", "1"], done.stderr


@pytest.mark.thorough
@pytest.mark.skipif(strongest_level() != "full", reason="needs a machine that can isolate in full")
def test_doctor_finds_full_isolation_under_the_profile(
    run_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    kata = Path(sys.executable).with_name("kata")
    command = (sys.executable, "-c", UNDER_PROFILE, ROOT / "docker" / "seccomp.json", sys.executable, kata, "doctor")
    done = run_command(*command, cwd=tmp_path)
    assert done.returncode == 0 and "Isolation: full" in done.stdout, done.stdout + done.stderr


@pytest.mark.thorough
def test_a_submission_is_graded_in_full_isolation_under_the_profile(
    run_command: Callable[..., subprocess.CompletedProcess[str]], tiny_course: Path
) -> None:
    if strongest_level() != "full":
        pytest.skip("needs a machine that can isolate in full")
    (tiny_course.parent / "ada").mkdir()
    (tiny_course.parent / "ada" / "share.py").write_text("def share(a):\n    return a / a.sum(-1, keepdim=True)\n")
    kata = Path(sys.executable).with_name("kata")
    grade = (kata, "grade", "ada", "--course", tiny_course, "--json", "-", "--isolation", "full")
    done = run_command(
        sys.executable,
        "-c",
        UNDER_PROFILE,
        ROOT / "docker/seccomp.json",
        sys.executable,
        *grade,
        cwd=tiny_course.parent,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["isolation"], record["points"]) == ("full", 4)


# --- the image's file and the guide --------------------------------------------------------------------------------


def test_the_image_installs_what_the_wall_is_made_of_and_is_no_roots() -> None:
    assert {"bubblewrap", "libseccomp2"} <= set(IMAGE.split())
    users = re.findall(r"^USER (\S+)$", IMAGE, re.MULTILINE)
    assert users and users[-1] != "root"
    (made,) = re.findall(r"make (\w+)", re.sub(r"#.*", "", IMAGE))
    assert re.search(rf"^{made}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_what_the_image_copies_and_the_guide_names_is_there() -> None:
    for path in re.findall(r"(docker/[\w.]+)", GUIDE + IMAGE):
        assert (ROOT / path).is_file(), path


def test_no_work_of_learners_and_no_environment_goes_into_the_image() -> None:
    nothing, *patterns = [line for line in IGNORED.splitlines() if line and not line.startswith("#")]
    assert nothing == "*"
    let_in = [line[1:] for line in patterns if line.startswith("!")]
    assert {"grader", "course.yml", "exercises", "solutions", "tests", "Makefile"} <= set(let_in)
    assert all(any(ROOT.glob(pattern)) for pattern in let_in)
    assert not {".git", ".venv", "build", "out", "OUT", "review", ".kata"} & set(let_in)


@pytest.mark.thorough
@pytest.mark.skipif(strongest_level() != "full", reason="needs a machine that can isolate in full")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to cover a part of /proc")
def test_where_a_part_of_proc_is_covered_doctor_names_it_and_the_next_level_is_taken(
    run_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    # as Docker and Podman do it; in mounts of this process's own
    covered = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc/bus && exec "$@"', "sh")
    kata = Path(sys.executable).with_name("kata")
    done = run_command(*covered, sys.executable, kata, "doctor", cwd=tmp_path)
    assert "a /proc of its own is not allowed here" in done.stdout, done.stdout + done.stderr
    assert "Isolation: reduced" in done.stdout


def test_the_guide_gives_the_container_no_privileges() -> None:
    flags = re.findall(r"^    .*(?:docker|podman) run[^\n]*(?:\\\n[^\n]*)*", GUIDE, re.MULTILINE)
    assert len(flags) >= 3
    assert not any("--privileged" in each or "--cap-add" in each or "seccomp=unconfined" in each for each in flags)
