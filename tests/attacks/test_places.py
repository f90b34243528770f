"""Where the course, the class and the results lie: nowhere that the sandbox shows to learners' code."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PEEK = """
def share(amounts):
    for place in {places}:
        try:
            open(place).read()
        except OSError:
            continue
        raise ValueError("it can be read")
    return amounts / amounts.sum(-1, keepdim=True)
"""


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder inside of this Python's environment, as a course under /usr/src would be."""
    with tempfile.TemporaryDirectory(prefix="attention-kata-", dir=sys.prefix) as folder:
        yield Path(folder)


def options(place: str, readable: Path, tiny_course: Path, tmp_path: Path) -> list[object]:
    places = {
        "course": tiny_course.rename(readable / "tiny") if place == "course" else tiny_course,
        "class": readable / "class" if place == "class" else tmp_path / "class",
        "results": (readable if place == "results" else tmp_path) / "out",
    }
    (places["class"] / "alice").mkdir(parents=True)
    (places["class"] / "alice" / "01_share.py").write_text("def share(amounts):\n    return amounts\n")
    return [places["class"], "--course", places["course"], "--out", places["results"]]


@pytest.mark.parametrize(("place", "level"), [("course", "full"), ("class", "reduced"), ("results", "full")])
def test_class_is_not_graded_where_learners_code_could_read(
    place: str, level: str, readable: Path, tiny_course: Path, tmp_path: Path, kata: Callable
) -> None:
    given = options(place, readable, tiny_course, tmp_path)
    done = kata("grade-class", *given, "--isolation", level, cwd=tmp_path)
    assert done.returncode == 2 and not done.stdout
    assert "Learners' code can read" in done.stderr and "No grade was recorded" in done.stderr
    assert not list(tmp_path.rglob("results.jsonl")) and not list(readable.rglob("results.jsonl"))


def test_submission_is_not_graded_where_learners_code_could_read_the_answers(
    readable: Path, tiny_course: Path, tmp_path: Path, kata: Callable
) -> None:
    work, *options_, _, _ = options("course", readable, tiny_course, tmp_path)
    done = kata("grade", work, *options_, "--json", tmp_path / "record.json", cwd=tmp_path)
    assert done.returncode == 2 and "Learners' code can read" in done.stderr
    assert not (tmp_path / "record.json").exists()


@pytest.mark.thorough
def test_course_elsewhere_cannot_be_read(tiny_course: Path, tmp_path: Path, kata: Callable) -> None:
    places = [str(path) for path in tiny_course.rglob("*.py")]
    (tmp_path / "01_share.py").write_text(PEEK.format(places=places))
    done = kata("grade", tmp_path / "01_share.py", "--course", tiny_course, "--isolation", "best", cwd=tmp_path)
    assert done.returncode == 0 and "it can be read" not in done.stdout
    assert "4 of 4 points" in done.stdout
