"""Scenes with the course's own answers, right or with a mistake in them, and a learner's workspace to type `kata play` in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
import torch

from grader.course import Course, load_course
from grader.play.catalogue import digest_of, play_of, scene_of
from grader.play.parts import Grid, Words
from grader.play.stage import Stage
from grader.practice.progress import AttemptEntry, ProgressFile, now

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def parts_of(scene, text="", off=(), *, in_full=False):
    """The parts of a scene; of its example where no text is given."""
    return list(scene.parts(text or scene.example, off, in_full=in_full))


def the(kind, parts):
    """The first part of a kind."""
    return next(part for part in parts if isinstance(part, kind))


def table_of(parts, title):
    """The table whose title begins so."""
    (table,) = (part for part in parts if isinstance(part, Grid) and part.title.startswith(title))
    return table


def warnings(parts):
    return [part.text for part in parts if isinstance(part, Words) and part.kind == "warning"]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """As the command has it."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT / "course.yml")


@pytest.fixture
def stage(course: Course) -> Iterator[Callable[..., Stage]]:
    """Puts the course's answer on a stage, with pieces of its text replaced; in this process unless a level is given."""
    made = []

    def put(id: str, *edits: tuple[str, str], source: str | None = None, level: str = "none") -> Stage:
        exercise = course.exercise(id)
        text = (ROOT / "solutions" / exercise.relative_path).read_text(encoding="utf-8") if source is None else source
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        made.append(Stage(exercise, text.encode(), level))
        return made[-1]

    yield put
    for each in made:
        each.close()


@pytest.fixture
def scene(stage) -> Callable[..., object]:
    """The scene of an exercise, with the course's answer in it or with a mistake."""

    def make(id: str, *edits: tuple[str, str], **how: str):
        return scene_of(play_of(id), stage(id, *edits, **how))

    return make


class Desk:
    """A learner's folder, and `kata` typed there."""

    def __init__(self, folder: Path, home: Path, run: Run) -> None:
        self.folder, self._run = folder, run
        self.environment = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "NO_COLOR": "1"}
        self.environment |= {"COLUMNS": "80", "PYTHONUTF8": "1"}

    def kata(self, *words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return self._run(*words, cwd=self.folder, env={**self.environment, **(environment or {})}, seconds=300)

    def pytest(self, *words: object) -> subprocess.CompletedProcess[str]:
        """`pytest` typed in the folder."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, words)]
        environment = {**os.environ, **self.environment}
        return subprocess.run(
            command, cwd=self.folder, env=environment, encoding="utf-8", capture_output=True, timeout=300, check=False
        )

    def keep(self, copy: Path) -> None:
        """Copy the folder as it is."""
        shutil.copytree(self.folder, copy)

    def put_back(self, copy: Path) -> None:
        """Have the folder be what it was when it was copied."""
        shutil.rmtree(self.folder)
        shutil.copytree(copy, self.folder)

    def write(self, course: Course, id: str, *edits: tuple[str, str]) -> Path:
        """Write the course's answer into the learner's file, with pieces replaced."""
        exercise = course.exercise(id)
        text = (ROOT / "solutions" / exercise.relative_path).read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        path = self.folder / "exercises" / exercise.relative_path
        path.write_text(text, encoding="utf-8")
        return path

    def pass_unchecked(self, id: str, course: Course) -> None:
        """Note that the file passed, without the minute that checking a language model takes here."""
        exercise = course.exercise(id)
        content = (self.folder / "exercises" / exercise.relative_path).read_bytes()
        digest = digest_of(content)
        with ProgressFile(self.folder / ".kata").change() as progress:
            entry = {"status": "passed", "points": exercise.points, "max_points": exercise.points, "digest": digest}
            progress.of(id).note(AttemptEntry(at=now(), **entry))


@pytest.fixture(scope="session")
def _fresh_desk(tmp_path_factory: pytest.TempPathFactory, kata: Run) -> Desk:
    home = tmp_path_factory.mktemp("home")
    desk = Desk(home, home, kata)
    done = desk.kata("init", str(home / "attention"), "--course", str(ROOT))
    assert done.returncode == 0, done.stderr
    desk.folder = home / "attention"
    return desk


@pytest.fixture
def desk(_fresh_desk: Desk, tmp_path: Path) -> Iterator[Desk]:
    """A learner's folder as it was given; what a test writes there is gone after it."""
    kept = tmp_path / "kept"
    _fresh_desk.keep(kept)
    yield _fresh_desk
    _fresh_desk.put_back(kept)


@pytest.fixture
def at_a_terminal(desk):
    """Types `kata` in a terminal of this many lines and columns."""
    if sys.platform == "win32":
        pytest.skip("pexpect has no terminals there")
    begun = []

    def type_(*words: str, size: tuple[int, int] = (50, 80)) -> pexpect.spawn:
        environment = {**os.environ, **desk.environment, "TERM": "xterm-256color"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "grader", *words]
        begun.append(
            pexpect.spawn(
                command[0], command[1:], cwd=str(desk.folder), env=environment, encoding="utf-8",
                timeout=240, dimensions=size,
            )
        )  # fmt: skip
        return begun[-1]

    yield type_
    for each in begun:
        each.close(force=True)
