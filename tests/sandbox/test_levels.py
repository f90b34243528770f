"""What a machine can isolate is found out by trying it, and what a level needs is said where it is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from grader.sandbox import doctor, levels
from grader.sandbox.doctor import try_level
from grader.sandbox.levels import MachineError, launch


def test_the_environment_passed_on_is_only_ours(monkeypatch):
    for name in ("SECRET_TOKEN", "LD_PRELOAD", "PYTHONPATH"):
        monkeypatch.setenv(name, "x")
        assert name not in levels.environment()


def test_folders_within_others_are_not_bound_twice():
    folders = levels.python_folders()
    assert not [(a, b) for a in folders for b in folders if a != b and a.startswith(b + os.sep)]
    assert any(sys.prefix.startswith(folder) for folder in folders)


@pytest.mark.parametrize(
    "level", ["full", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("reduced", "process"))]
)
def test_each_level_works_with_a_python_that_was_named_from_another_folder(level, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", os.path.join(tmp_path, os.path.relpath(sys.executable, tmp_path)))
    assert ".." in sys.executable
    assert try_level(level) is None


@pytest.mark.thorough
def test_torch_outside_the_environment_is_said_to_be_there(tmp_path, run_command):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    packages = [str(Path(torch.__file__).parents[1]), str(Path(levels.__file__).parents[2])]
    command = [tmp_path / "bare" / "bin" / "python", "-m", "grader", "doctor"]
    done = run_command(*command, cwd=tmp_path, env={"PYTHONPATH": os.pathsep.join(packages)})
    told = " ".join(done.stdout.split())
    assert "level full: learners' code finds no torch: it sees" in told and "install torch there" in told
    assert "No module named" not in told


WITHOUT = {"nothing": "full", "bubblewrap": "reduced", "Landlock": "process", "seccomp": "process", "fork": "process"}


@pytest.mark.parametrize(("broken", "level"), WITHOUT.items(), ids=WITHOUT)
def test_the_strongest_level_without(broken, level):
    assert doctor.strongest_level([doctor.Finding(part, part != broken) for part in WITHOUT]) == level


def remedy_for_bubblewrap():
    (finding,) = (finding for finding in doctor.examine() if finding.part == "bubblewrap")
    assert not finding.works
    return finding.remedy


def test_without_bubblewrap_full_is_refused_and_what_to_install_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="bubblewrap"):
        launch("full")
    assert "apt-get install bubblewrap" in remedy_for_bubblewrap()


def test_a_machine_without_namespaces_says_what_bubblewrap_said(monkeypatch, tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "No permissions" in str(try_level("full")) and "No permissions" in remedy_for_bubblewrap()
    assert doctor.strongest_level() == "reduced"


def test_the_judges_side_starts_a_zygote_without_loading_torch():
    code = "import sys; import grader.sandbox.levels, grader.sandbox.doctor; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
