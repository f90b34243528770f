"""The course in a wheel without answers, of the real course, made once by the real command."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.course.installed import CARRIED

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT / "course.yml")

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

RELEASE_SECONDS = 1500
"""A generous deadline: every known mistake of the course goes through all checks."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first waits for the wheel; those of a tiny course are for every day."""
    for item in items:
        if "planned_wheel" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(RELEASE_SECONDS))
            item.add_marker(pytest.mark.thorough)


def course_in_wheel(wheel: Path, folder: Path) -> Path:
    """Take the course out of a wheel, and put it into a folder, which is returned."""
    with zipfile.ZipFile(wheel) as pack:
        pack.extractall(folder, [name for name in pack.namelist() if name.startswith(f"grader/{CARRIED}/")])
    course = folder / "grader" / CARRIED
    for sealed in course.glob("*.sealed"):
        zipfile.ZipFile(sealed).extractall(course)
        sealed.unlink()
    return course


@pytest.fixture(scope="session")
def planned_wheel(tmp_path_factory: pytest.TempPathFactory, kata: Kata, made_once: Callable[..., Path]) -> Path:
    """The wheel without answers of the real course."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("released")
        done = kata("release", "--out", folder, "--without-answers", cwd=ROOT)
        assert done.returncode == 0, done.stderr
        (wheel,) = folder.glob("*.whl")
        return wheel

    return made_once("planned-wheel", make)


@pytest.fixture(scope="session")
def planned(planned_wheel: Path, use_course: Callable[[Path, Path], None], made_once: Callable[..., Path]) -> Path:
    """The folder of the course in that wheel."""
    made = made_once("planned", lambda: course_in_wheel(planned_wheel, planned_wheel.parent / "course"))
    use_course(made, made)
    return made


def answer(workspace: Path, id: str, *edit: str) -> Path:
    """Write the course's answer to an exercise, with some text of it exchanged for another."""
    exercise = COURSE.exercise(id)
    source = COURSE.solution_path(exercise).read_text("utf-8")
    if edit:
        assert edit[0] in source
        source = source.replace(*edit)
    path = workspace / "exercises" / exercise.relative_path
    path.write_text(source, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def init(kata: Kata, use_course: Callable[[Path, Path], None]) -> Callable[[Path, Path], Path]:
    """Makes a workspace for a course at a place, with `kata init`."""

    def make(course: Path, folder: Path) -> Path:
        done = kata("init", folder, "--course", course, cwd=folder.parent)
        assert done.returncode == 0, done.stderr
        use_course(folder, course)
        return folder

    return make
