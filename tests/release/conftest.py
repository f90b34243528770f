"""A learner's bundle of the real course, made once by the real command."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RELEASE_SECONDS = 900
"""A generous deadline: every known mistake of the course sits the visible checks twice."""


@pytest.fixture(scope="session")
def unpack() -> Callable[[Path, Path], Path]:
    """Unzips a bundle into a folder, and returns the folder that the zip brings along."""

    def take_out(packed: Path, folder: Path) -> Path:
        with zipfile.ZipFile(packed) as pack:
            pack.extractall(folder)
            (name,) = {Path(each).parts[0] for each in pack.namelist()}
        return folder / name

    return take_out


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory, kata: Kata, unpack: Callable[[Path, Path], Path]) -> Path:
    """The unzipped bundle. No test may work in it: that is what `workspace` is for."""
    folder = tmp_path_factory.mktemp("released")
    done = kata("release", "--out", folder / "bundle.zip", cwd=ROOT, seconds=RELEASE_SECONDS)
    assert done.returncode == 0, done.stderr
    unpacked = unpack(folder / "bundle.zip", folder)
    assert kata("init", unpacked, "--course", unpacked, cwd=folder).returncode == 0
    return unpacked


@pytest.fixture(scope="session")
def init(kata: Kata) -> Callable[[Path, Path], Path]:
    """Makes a workspace for the course or bundle at a place, with `kata init`."""

    def make(course: Path, folder: Path) -> Path:
        done = kata("init", folder, "--course", course, cwd=folder.parent)
        assert done.returncode == 0, done.stderr
        return folder

    return make


@pytest.fixture(scope="module")
def workspace(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Callable[[Path, Path], Path]) -> Path:
    """A learner's own folder, made from the bundle."""
    return init(bundle, tmp_path_factory.mktemp("learner") / "attention")
