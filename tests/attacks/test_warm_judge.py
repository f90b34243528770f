"""Learners' code and the judge that is kept warm: behind the wall it is not to be found, and nothing can be said to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.doctor import strongest_level
from grader.service.client import running_judges
from grader.service.registration import judges_folder

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
CALLS = """\
import os

def share(amounts):
    found = []
    for look in (lambda: os.listdir({folder!r}), lambda: open({file!r}).read(), lambda: os.listdir({sockets!r})):
        try:
            found.append(repr(look()))
        except OSError as error:
            pass
    try:
        import socket
        line = socket.socket(socket.AF_UNIX)
        line.connect({address!r})
        found.append("connected")
    except (OSError, ImportError):
        pass
    if found:
        raise ValueError(" ".join(found))
    return amounts / amounts.sum(-1, keepdim=True)
"""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    variables = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield variables
    running_judges(end=True)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("level", ["full", "reduced"])
def test_learners_code_does_not_reach_it(
    level: str, environment: dict[str, str], tiny_course: Path, kata: Callable[..., Any], tmp_path: Path
) -> None:
    assert level != "full" or strongest_level() == "full", "this machine has no isolation level full"

    def graded(source: str) -> str:
        (tmp_path / "share.py").write_text(source)
        command = ("grade", tmp_path / "share.py", "--json", "-", "--isolation", level, "--seed", 3)
        done = kata(*command, cwd=tiny_course, env=environment)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    honest = graded(RIGHT)
    (judge,) = running_judges()
    folder, address = judges_folder(), Path(judge.address)
    places = {"folder": folder, "file": folder / f"{judge.name}.json", "sockets": address.parent, "address": address}
    # whatever stopped it at a call that is not allowed has told it nothing
    told = graded(CALLS.format(**{name: str(place) for name, place in places.items()}))
    assert judge.key not in told and judge.name not in told and "connected" not in told
    assert json.loads(graded(RIGHT))["points"] == json.loads(honest)["points"] == 4
    assert running_judges() == [judge]
