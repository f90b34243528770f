"""A learner's bundle of the real course, made once by the real command."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RELEASE_SECONDS = 1500
"""A generous deadline: every known mistake of the course goes through all checks."""

SEED = 11


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first waits for the bundle; those of a tiny course are for every day."""
    for item in items:
        if "release" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(RELEASE_SECONDS))
            item.add_marker(pytest.mark.thorough)


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
def release(
    tmp_path_factory: pytest.TempPathFactory,
    kata: Kata,
    unpack: Callable[[Path, Path], Path],
    made_once: Callable[..., Path],
    use_course: Callable[[Path, Path], None],
) -> Callable[..., Path]:
    """Makes a bundle of the real course for one seed, unzips it, and names it as a course to use."""

    def release_with(*options: str) -> Path:
        folder = tmp_path_factory.mktemp("released")
        arguments = ("release", "--out", folder / "bundle.zip", "--seed", SEED, *options)
        done = kata(*arguments, cwd=ROOT, seconds=RELEASE_SECONDS)
        assert done.returncode == 0, done.stderr
        return unpack(folder / "bundle.zip", folder)

    def name(unpacked: Path) -> None:
        use_course(unpacked, unpacked)

    return lambda *options: made_once("released" + "".join(options), lambda: release_with(*options), name)


@pytest.fixture(scope="session")
def bundle(release: Callable[..., Path]) -> Path:
    """The unzipped bundle, with sealed answers. No test may work in it: that is what `workspace` is for."""
    return release("--with-solutions")


@pytest.fixture(scope="session")
def answer() -> Callable[..., Path]:
    """Hands in the course's answer to an exercise, with some text of it exchanged for another."""

    def hand_in(workspace: Path, id: str, *edit: str) -> Path:
        exercise = COURSE.exercise(id)
        source = COURSE.solution_path(exercise).read_text("utf-8")
        if edit:
            assert edit[0] in source
            source = source.replace(*edit)
        path = workspace / "exercises" / exercise.relative_path
        path.write_text(source, encoding="utf-8")
        return path

    return hand_in


@pytest.fixture(scope="session")
def init(kata: Kata, use_course: Callable[[Path, Path], None]) -> Callable[[Path, Path], Path]:
    """Makes a workspace for the course or bundle at a place, with `kata init`."""

    def make(course: Path, folder: Path) -> Path:
        done = kata("init", folder, "--course", course, cwd=folder.parent)
        assert done.returncode == 0, done.stderr
        use_course(folder, course)
        return folder

    return make


@pytest.fixture(scope="module")
def workspace(bundle: Path, tmp_path_factory: pytest.TempPathFactory, init: Callable[[Path, Path], Path]) -> Path:
    """A learner's own folder, made from the bundle."""
    return init(bundle, tmp_path_factory.mktemp("learner") / "attention")
