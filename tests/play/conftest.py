"""Scenes with the course's own answers, right or with a mistake in them, and a learner's workspace to type `kata play` in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pexpect
import pytest
import torch

from grader.course import Course, load_course
from grader.play.catalogue import play_of
from grader.play.parts import Grid, Part, Words
from grader.play.showing import scene_of
from grader.play.stage import Stage
from grader.practice.progress import AttemptEntry, ProgressFile, digest_of, now

from ..cases import table

ROOT = Path(__file__).resolve().parents[2]
CASES = table(__file__, "cases.yml")
Edit = tuple[str, str]


class Seen(tuple[Part, ...]):
    """The parts that a scene showed."""

    def the(self, kind, number: int = 0):
        """One of the parts of a kind, the first by default."""
        return [part for part in self if isinstance(part, kind)][number]

    def rows(self, title: str) -> dict[str, tuple[str, ...]]:
        """The rows of the table whose title begins so, by their names."""
        return {row[0]: row[1:] for row in self.table(title).rows}

    def table(self, title: str) -> Grid:
        (table,) = (part for part in self if isinstance(part, Grid) and part.title.startswith(title))
        return table

    @property
    def warnings(self) -> list[str]:
        return [part.text for part in self if isinstance(part, Words) and part.kind == "warning"]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """As the command has it."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT / "course.yml")


def answer(course: Course, id: str, *edits: Edit) -> str:
    """The course's answer, with pieces of its text replaced."""
    text = (ROOT / "solutions" / course.exercise(id).relative_path).read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="session")
def stage(course: Course) -> Iterator[Callable[..., Stage]]:
    """Puts the course's answer on a stage, with pieces replaced; in this process unless a level is given."""
    made = []

    def put(id: str, *edits: Edit, level: str = "none") -> Stage:
        made.append(Stage(course.exercise(id), answer(course, id, *edits).encode(), level))
        return made[-1]

    yield put
    for each in made:
        each.close()


@pytest.fixture(scope="session")
def scene(stage) -> Callable[..., object]:
    """The scene of an exercise, with the course's answer in it or with a mistake."""
    return lambda id, *edits: scene_of(play_of(id), stage(id, *edits))


@pytest.fixture(scope="session")
def seen(scene) -> Callable[..., Seen]:
    """What a scene shows: of its example unless a text is given. It is played once for all tests."""

    @cache
    def play(id: str, *edits: Edit, off: tuple[str, ...] = (), text: str = "", in_full: bool = False) -> Seen:
        return Seen(scene(id, *edits).parts(text or play_of(id).example, off, in_full=in_full))

    return play


class Desk:
    """A learner's folder, and `kata` typed there."""

    def __init__(self, folder: Path, run: Callable[..., subprocess.CompletedProcess[str]], course: Course) -> None:
        self.folder, self._run, self._course = folder / "attention", run, course
        self.environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "NO_COLOR": "1"}
        self.environment |= {"COLUMNS": "80", "PYTHONUTF8": "1"}
        done = run("init", str(self.folder), "--course", str(ROOT), cwd=folder, env=self.environment)
        assert done.returncode == 0, done.stderr

    def kata(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self._run(*words, cwd=self.folder, env={**self.environment, **environment})

    def terminal(self, *words: str, size: tuple[int, int] = (50, 80)) -> pexpect.spawn:
        """`kata` typed in a terminal of this many lines and columns."""
        environment = {**os.environ, **self.environment, "TERM": "xterm-256color"}
        environment.pop("COLUMNS")
        arguments = ["-m", "grader", *words]
        return pexpect.spawn(
            sys.executable, arguments, cwd=str(self.folder), env=environment, encoding="utf-8", timeout=240,
            dimensions=size,
        )  # fmt: skip

    def write(self, id: str, *edits: Edit) -> Path:
        """Write the course's answer into the learner's file, with pieces replaced."""
        path = self.folder / "exercises" / self._course.exercise(id).relative_path
        path.write_text(answer(self._course, id, *edits), encoding="utf-8")
        return path

    def checks(self, id: str, *edits: Edit) -> subprocess.CompletedProcess[str]:
        """Write it, and check it."""
        self.write(id, *edits)
        return self.kata("check", id)

    def passes_unchecked(self, id: str, *edits: Edit) -> None:
        """Write it and note that it passed, without the minute that checking a language model takes here."""
        points, digest = self._course.exercise(id).points, digest_of(self.write(id, *edits).read_bytes())
        entry = AttemptEntry(at=now(), status="passed", points=points, max_points=points, digest=digest)
        with ProgressFile(self.folder / ".kata").change() as progress:
            progress.of(id).note(entry)


@pytest.fixture
def desk(tmp_path: Path, kata, course: Course) -> Desk:
    """A learner's folder as it is given."""
    return Desk(tmp_path, kata, course)
