"""Where the course, the class, the results and the warm judge lie: nowhere that learners' code can read or speak to."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.doctor import strongest_level
from grader.service.client import judges_folder, running_judges
from tests.cases import table

LOOKING = table(__file__, "shared.yml")["looking"]
ALL = 4
"""Points of a right answer to the tiny course."""


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder inside of this Python's environment, as a course under /usr/lib would be."""
    with tempfile.TemporaryDirectory(prefix="attention-kata-", dir=sys.prefix) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("place", "level", "command", "to"),
    [
        ("course", "full", "grade-class", "--out"),
        ("class", "reduced", "grade-class", "--out"),
        ("results", "full", "grade-class", "--out"),
        ("course", "full", "grade", "--json"),
    ],
)
def test_nothing_is_graded_where_learners_code_could_read(
    place: str,
    level: str,
    command: str,
    to: str,
    readable: Path,
    tiny_course: Path,
    tmp_path: Path,
    cold_kata: Callable,
) -> None:
    course = tiny_course.rename(readable / "tiny") if place == "course" else tiny_course
    work, results = ((readable if place == name else tmp_path) / name for name in ("class", "results"))
    (work / "alice").mkdir(parents=True)
    (work / "alice" / "01_share.py").write_text("def share(amounts):\n    return amounts\n")
    done = cold_kata(command, work, "--course", course, to, results, "--isolation", level, cwd=tmp_path)
    assert done.returncode == 2 and not done.stdout
    assert "Learners' code can read" in done.stderr and "No grade was recorded" in done.stderr
    assert not results.is_file() and not list(results.rglob("results.jsonl"))


Grade = Callable[..., tuple[float, str]]


@pytest.fixture
def graded(tiny_course: Path, tmp_path: Path, cold_kata: Callable[..., Any]) -> Grade:
    """Grades a right answer that looks at some places; gives its points and its record."""

    def grade(places: Iterable[object], level: str, env: dict[str, str]) -> tuple[float, str]:
        (tmp_path / "share.py").write_text(LOOKING.replace("PLACES", repr(list(map(str, places)))))
        command = ("grade", "share.py", "--course", tiny_course, "--json", "-", "--isolation", level, "--seed", 3)
        done = cold_kata(*command, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["points"], done.stdout

    return grade


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["full", "reduced"])
def test_course_elsewhere_cannot_be_read(level: str, graded: Grade, tiny_course: Path) -> None:
    in_system = [path for path in ("/usr/share/doc", "/usr/local/share", "/usr/src") if Path(path).is_dir()]
    points, told = graded([*tiny_course.rglob("*.py"), *in_system], level, {})
    assert in_system and "it can be read" not in told and points == ALL


@pytest.fixture
def warm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The settings of a user whose judges are kept warm."""
    variables = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield variables
    running_judges(end=True)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("level", ["full", "reduced"])
def test_learners_code_does_not_reach_the_warm_judge(level: str, warm: dict[str, str], graded: Grade) -> None:
    assert level != "full" or strongest_level() == "full", "this machine has no isolation level full"
    assert graded([], level, warm)[0] == ALL
    (judge,) = running_judges()
    folder, address = judges_folder(), Path(judge.address)
    points, told = graded([folder, folder / f"{judge.name}.json", address.parent, address], level, warm)
    assert not [secret for secret in (judge.key, judge.name, "it can be read") if secret in told] and points == ALL
    assert graded([], level, warm)[0] == ALL
    assert running_judges() == [judge]
