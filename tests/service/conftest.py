"""A user of their own, whose judges are kept warm in a folder of the test's, and end with it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.intake import SourceFile, Submission
from grader.record import Record
from grader.service.client import Registration, WarmJudge, judges_folder, registered, running_judges
from tests.waiting import await_true, is_running

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


@dataclass(frozen=True)
class Home:
    """A user's folder of judges, and commands in that user's name."""

    folder: Path
    environment: dict[str, str]
    course: Path
    run: Run

    def kata(self, *arguments: object, **how: Any) -> Done:
        """Run `kata` in the course as this user."""
        return self.run(*arguments, env={**self.environment, **how.pop("env", {})}, cwd=self.course, **how)

    def answer(self, source: str) -> Path:
        """Write the learner's file."""
        path = self.course / "exercises" / "01_parts" / "01_share.py"
        path.write_text(source)
        return path

    def warm(self, level: Any = "process") -> WarmJudge:
        """The warm judge of the course, started if need be."""
        return WarmJudge(self.course / "course.yml", level, 5, ["share"])

    def judge(self) -> Registration:
        """The only one that is kept warm."""
        (judge,) = running_judges()
        return judge


def submission(content: str, name: str = "somebody") -> Submission:
    """One file of one learner."""
    return Submission(name, {"share": SourceFile("share", "share.py", content.encode())}, ())


def graded(judge: Any, content: str, name: str = "somebody") -> tuple[str, float]:
    """Whose record comes back, and its points."""
    records: list[Record] = []
    judge.grade([submission(content, name)], records.append)
    return records[0].submission, records[0].points


@pytest.fixture
def home(tmp_path: Path, cold_kata: Run, tiny_course: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A user whose judges are kept warm, and nothing of theirs is left at the end."""
    environment = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    folder = judges_folder()
    yield Home(folder, environment, tiny_course, cold_kata)
    monkeypatch.undo()
    os.environ.update(environment)
    left = running_judges(end=True)
    await_true(lambda: not any(is_running(each.pid) for each in left))
    assert not registered(folder)
    assert not any(Path(each.address).parent.exists() for each in left)
