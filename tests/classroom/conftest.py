"""A class of tiny submissions, and two ways of grading it: the real command, and answers given at once."""

from __future__ import annotations

import csv
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, load_course
from grader.record import Record
from tests.records import without_timings

from .recorded_run import Answering, run_class

RIGHT = "# {name}\ndef share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "# {name}\ndef share(amounts):\n    return amounts / amounts.sum()\n"
EVERY_THIRD = 3
CLASS_SIZE = 40


def hand_in(folder: Path, name: str, *, right: bool = True) -> Path:
    """Write one learner's folder, with a right or a wrong answer."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "share.py").write_text((RIGHT if right else WRONG).format(name=name), "utf-8")
    return folder / name


def hand_in_all(folder: Path, count: int) -> Path:
    """Write a class of so many folders, every third answer wrong."""
    for number in range(count):
        hand_in(folder, f"s{number:03d}", right=bool(number % EVERY_THIRD))
    return folder


@pytest.fixture(scope="session")
def course_root(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")


@pytest.fixture(scope="session")
def course(course_root: Path) -> Course:
    return load_course(course_root / "course.yml")


@pytest.fixture(scope="session")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a class of forty."""
    return hand_in_all(tmp_path_factory.mktemp("forty") / "class", CLASS_SIZE)


def count_results(out: Path) -> int:
    """How many learners have results in the database of OUT."""
    try:
        with closing(sqlite3.connect(f"{(out / 'class.db').as_uri()}?mode=ro", uri=True)) as database:
            (count,) = database.execute("SELECT count(DISTINCT learner) FROM results").fetchone()
            return int(count)
    except sqlite3.OperationalError:  # it is not there yet, or being written
        return 0


class Grading:
    """`kata grade-class` as a process group of its own, which can be killed or interrupted as a whole."""

    def __init__(self, folder: Path, out: Path, course: Path, *arguments: object, **process: Any) -> None:
        self.out, self.said = out, ""
        command = [Path(sys.executable).with_name("kata"), "grade-class", folder, "--out", out]
        command += ["--course", course, "--isolation", "best", "--seed", 5, "--jobs", 2, *arguments]
        self.process = subprocess.Popen(
            list(map(str, command)),
            cwd=out.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, "COLUMNS": "140", "NO_COLOR": "1"},
            **process,
        )

    def count(self) -> int:
        """How many learners have results."""
        return count_results(self.out)

    def await_results(self, more_than: int = 0) -> None:
        """Wait until more learners have results, or nothing more will come."""
        while self.count() <= more_than and self.process.poll() is None:
            try:
                self.process.wait(0.002)
            except subprocess.TimeoutExpired:
                continue

    def signal(self, number: int) -> None:
        """Send a signal to the whole group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self) -> tuple[int, str]:
        """Wait for its end; its status and what it said on standard error."""
        _, said = self.process.communicate(timeout=300)
        return self.process.returncode, said

    def lines(self) -> list[str]:
        """Wait for its end, which is a good one; the records without timings, line by line."""
        status, self.said = self.end()
        assert status == 0, self.said
        lines = (self.out / "results.jsonl").read_bytes().splitlines()
        return [without_timings(Record.from_json(line)).to_json() for line in lines]

    def kill(self) -> None:
        """End the whole group with SIGKILL, if it has not ended."""
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def grading(course_root: Path) -> Iterator[Callable[..., Grading]]:
    """Begins `kata grade-class` with two judges and seed 5: `grading(folder, out, "--resume")`."""
    begun: list[Grading] = []

    def begin(folder: Path, out: Path, *arguments: object, **process: Any) -> Grading:
        begun.append(Grading(folder, out, course_root, *arguments, **process))
        return begun[-1]

    yield begin
    for each in begun:
        each.kill()


@pytest.fixture(scope="session")
def undisturbed(course_root: Path, forty: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the class of forty comes to when nothing happens, without timings."""
    return Grading(forty, tmp_path_factory.mktemp("undisturbed") / "out", course_root).lines()


class Class:
    """A class in a folder and a course of two exercises, graded by judges that know the answers: a right one has 4 points."""

    def __init__(self, place: Path, make_course: Callable[..., Path]) -> None:
        self.place, self.folder, self.out = place, place / "class", place / "out"
        self.root = make_course(place / "course", "01_parts/01_share", "02_more/01_split")
        self.folder.mkdir()

    @property
    def course(self) -> Course:
        return load_course(self.root / "course.yml")

    def hand_in(self, files: dict[str, bool | str]) -> None:
        """Write right or wrong answers, or these texts, below the folder."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str) else RIGHT if content else WRONG
            path.write_text(text.replace("share", "split") if path.stem == "split" else text, "utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a file of the course."""
        text = (self.root / file).read_text("utf-8")
        assert old in text
        (self.root / file).write_text(text.replace(old, new, 1), "utf-8")

    def be_generous(self, *kits: str) -> None:
        """Change the checks of exercises, by which everything is right from now on."""
        for kit in kits:
            with (self.root / "tests" / "kits" / kit / "checks.py").open("a", encoding="utf-8") as checks:
                checks.write("# generous\n")

    def judge(self, **how: Any) -> Answering:
        """A judge to be given to `grade`, which remembers what it was asked."""
        return Answering(self.course, **how)

    def grade(
        self, files: dict[str, bool | str] | None = None, roster: str = "", match: str = "", **options: Any
    ) -> Any:
        """Hand these in and grade the class. roster, match: the text of a CSV. Raises KataError."""
        self.hand_in(files or {})
        for name, text in (("roster", roster), ("matches", match)):
            if text:
                options[name] = self.place / f"{name}.csv"
                options[name].write_text(text, "utf-8")
        return run_class(self.course, self.folder, self.out, **options)

    @property
    def records(self) -> dict[str, Record]:
        """Each learner's record as `results.jsonl` has it."""
        lines = (self.out / "results.jsonl").read_bytes().splitlines()
        return {record.submission: record for record in map(Record.from_json, lines)}

    @property
    def points(self) -> dict[str, float]:
        return {id: record.counted_points for id, record in self.records.items()}

    @property
    def unmatched(self) -> dict[str, str]:
        with (self.out / "unmatched.csv").open(encoding="utf-8-sig", newline="") as rows:
            return {row["entry"]: row["why"] for row in csv.DictReader(rows)}


@pytest.fixture
def room(tmp_path: Path, make_course: Callable[..., Path]) -> Class:
    """An empty class."""
    return Class(tmp_path, make_course)
