"""A user of their own, whose judges are kept warm in a folder of the test's, and end with it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.service.opening import kept_judges, stop_judges
from grader.service.place import Registration, all_registered, judges_folder

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@dataclass(frozen=True)
class Home:
    """Where this user's judges are known, and commands in that user's name."""

    folder: Path
    environment: dict[str, str]
    run: Run

    def kata(self, *arguments: object, **how: object) -> Done:
        """Run `kata` as this user."""
        return self.run(*arguments, env=self.environment, **how)

    def judges(self) -> list[Registration]:
        """The judges that are kept and answer."""
        return kept_judges(self.folder)

    def judge(self) -> Registration:
        """The only one."""
        (judge,) = self.judges()
        return judge


@pytest.fixture
def home(tmp_path: Path, kata: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Of a user whose judges are kept warm."""
    environment = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    folder = judges_folder()
    yield Home(folder, environment, kata)
    stop_judges()
    assert not list(all_registered(folder))
