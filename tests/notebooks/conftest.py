"""The real nbgrader in a course folder made by the real `kata notebooks`, away from the user's own settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.notebooks import prepare

# nbgrader is not made for 3.10; from 3.11 on `make test` installs it, and its absence is a failure.
collect_ignore_glob = ["test_*.py"] if sys.version_info < (3, 11) else []

NBGRADER = Path(sys.executable).with_name("nbgrader")
UNIT = "01_parts"
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(dim=-1, keepdim=True)\n"
Done = subprocess.CompletedProcess[str]
Notebook = dict[str, Any]


class Folder:
    """A course folder for nbgrader."""

    def __init__(self, root: Path, run: Callable[..., Done], home: Path, variables: Mapping[str, str]) -> None:
        self.root = root
        self.course = root.parent / "tiny"
        """The course, where `released_at` makes one."""
        self.env = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
        self.env |= {"IPYTHONDIR": str(home / "ipython"), **variables}
        self._run = run

    def nbgrader(self, *arguments: object, status: int = 0, **env: str) -> Done:
        """Run a command of nbgrader's here; it has to end with `status`."""
        done = self._run(NBGRADER, *arguments, cwd=self.root, env={**self.env, **env}, seconds=900)
        assert done.returncode == status, done.stderr
        return done

    def autograde(self, *, student: str = "*", force: bool = True) -> None:
        """Run `nbgrader autograde UNIT` in this process. Raises NbGraderException where the command fails."""
        from nbgrader.converters import Autograde
        from nbgrader.coursedir import CourseDirectory
        from traitlets.config import Config, LoggingConfigurable

        config = Config(read(self.root / "nbgrader_config.json"))
        config.CourseDirectory.update(root=str(self.root), assignment_id=UNIT, student_id=student)
        parent = LoggingConfigurable(config=config)
        with pytest.MonkeyPatch.context() as changed, warnings.catch_warnings():
            changed.setenv("PATH", os.environ["PATH"])
            prepare()  # as nbgrader_config.py has it
            Autograde(coursedir=CourseDirectory(parent=parent), parent=parent, force=force).start()

    def source(self, unit: str) -> Notebook:
        return read(self.root / "source" / unit / f"{unit}.ipynb")

    def released(self, unit: str) -> Notebook:
        return read(self.root / "release" / unit / f"{unit}.ipynb")

    def autograded(self, student: str, unit: str) -> Notebook:
        return read(self.root / "autograded" / student / unit / f"{unit}.ipynb")

    def feedback(self, student: str, unit: str) -> str:
        return (self.root / "feedback" / student / unit / f"{unit}.html").read_text("utf-8")

    def handed_in(self, student: str, unit: str) -> Path:
        return self.root / "submitted" / student / unit / f"{unit}.ipynb"

    def hand_in(self, student: str, unit: str, notebook: Notebook | str | Path) -> None:
        """Put down a submission; of a path, a link to it."""
        path = self.handed_in(student, unit)
        path.parent.mkdir(parents=True)
        if isinstance(notebook, Path):
            path.symlink_to(notebook)
        else:
            path.write_text(notebook if isinstance(notebook, str) else json.dumps(notebook), encoding="utf-8")

    @contextmanager
    def book(self) -> Iterator[Any]:
        """The gradebook."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            yield book

    def scores(self, student: str, unit: str) -> dict[str, float | None]:
        """The automatic score of each cell with points, None where there is none, and nobody's manual score."""
        with self.book() as book:
            (notebook,) = book.find_submission(unit, student).notebooks
            assert [grade.manual_score for grade in notebook.grades] == [None] * len(notebook.grades)
            return {grade.name: grade.auto_score for grade in notebook.grades}

    def students(self) -> set[str]:
        """Whom the gradebook has."""
        with self.book() as book:
            return {student.id for student in book.students}

    def copied_to(self, root: Path) -> Folder:
        """A copy of the course folder."""
        copied = copy(self)
        copied.root = Path(shutil.copytree(self.root, root))
        return copied


def read(path: Path) -> Notebook:
    return json.loads(path.read_text("utf-8"))


def named(cell: Mapping[str, Any]) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


class Edit:
    """Notebooks as learners change them, and their cells."""

    @staticmethod
    def filled(notebook: Notebook, answers: Mapping[str, str]) -> Notebook:
        """With these sources in the cells of these names."""
        cells = [{**cell, "source": answers.get(named(cell), cell["source"])} for cell in notebook["cells"]]
        return {**notebook, "cells": cells}

    @staticmethod
    def cell(notebook: Notebook, name: str) -> dict[str, Any]:
        """The cell of this name."""
        return next(cell for cell in notebook["cells"] if named(cell) == name)


class Page(HTMLParser):
    """The tags of a page with their attributes, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str]]]] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, [(name, value or "") for name, value in attrs]))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts.append(data)


@pytest.fixture(scope="session")
def folder_at(
    run_command: Callable[..., Done],
    tmp_path_factory: pytest.TempPathFactory,
    course_in: Callable[[Path], dict[str, str]],
) -> Callable[[Path], Folder]:
    """A course folder at a path, whose nbgrader knows nothing of the user's own settings."""
    home = tmp_path_factory.mktemp("jupyter")
    return lambda root: Folder(root, run_command, home, course_in(root))


@pytest.fixture(scope="session")
def released_at(
    make_course: Callable[..., Path], folder_at: Callable[[Path], Folder], kata: Callable[..., Done]
) -> Callable[..., Folder]:
    """Makes a course of `share` at ROOT/tiny and its course folder at ROOT/nbgrader, with everything released."""

    def made(root: Path, *options: str, exercises: tuple[str, ...] = (f"{UNIT}/01_share",)) -> Folder:
        course = make_course(root / "tiny", *exercises)
        done = kata("notebooks", root / "nbgrader", "--course", course, *options, cwd=course)
        assert done.returncode == 0, done.stderr
        folder = folder_at(root / "nbgrader")
        folder.nbgrader("generate_assignment", "*")
        return folder

    return made
