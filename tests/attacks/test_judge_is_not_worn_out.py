"""What files and answers may cost the command and the judge, whose own time and memory has no limit but what is here.

Reading a submission is on its learner's own time: one that takes long is told so, and nobody else waits or loses.
"""

from __future__ import annotations

import subprocess
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from weakref import WeakSet

import pytest

from grader.course import load_course
from grader.intake import SourceFile, Submission, SubmissionError, read_submission, walk
from grader.intake.walk import READING_SECONDS
from grader.judge.checks import _code_lines
from grader.judge.failure import MOST_LIKENED, _no_entry_text
from grader.judge.grading import MAX_KEPT_BYTES, Judge, Session
from grader.record import Record
from grader.sandbox.inside import wire

from .test_reading_in_proportion import notebook

ROOT = Path(__file__).parents[2]
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
LONG_COMMENT = "#" * 200_000 + " a b\n"
DEAR_CELLS = ["a\n" * 15_000 + "#" * number for number in range(16)]
"""Within all bounds of a notebook, and as long to read as any such cells."""

SOON_SECONDS = 90
"""The comments would take hours, the notebooks minutes."""


def _dear_zip(path: Path, notebooks: int) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for number in range(notebooks):
            packed.writestr(f"{number}.ipynb", notebook(*DEAR_CELLS) + b" " * number)
    return path


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, make_course: Callable, kata: Callable) -> dict[str, Record]:
    root = tmp_path_factory.mktemp("slow")
    make_course(root / "tiny", "01_parts/01_share")
    handed_in = root / "class"
    for name in ("amira", "zoe"):
        (handed_in / name).mkdir(parents=True)
        (handed_in / name / "01_share.py").write_text(RIGHT)
    (handed_in / "comment.py").write_text(LONG_COMMENT + RIGHT)
    (handed_in / "digits.py").write_text("# " + "1" * 200_000 + "\n" + RIGHT)
    (handed_in / "cell.ipynb").write_bytes(notebook(LONG_COMMENT + RIGHT))
    _dear_zip(handed_in / "many.zip", 40)
    options = ["--course", root / "tiny", "--isolation", "best", "--seed", 5, "--jobs", 1]
    began = time.monotonic()
    done: subprocess.CompletedProcess[str] = kata("grade-class", handed_in, "--out", root / "out", *options, cwd=root)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < SOON_SECONDS
    lines = (root / "out" / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["amira", "zoe", "comment", "digits", "cell"])
def test_right_answers_have_their_points_under_a_long_comment_and_beside_it(
    graded: dict[str, Record], name: str
) -> None:
    assert graded[name].points == 4 and not graded[name].problems


@pytest.mark.thorough
def test_what_takes_too_long_to_read_is_told(graded: dict[str, Record]) -> None:
    (problem,) = graded["many"].problems
    assert f"could not be read in {READING_SECONDS:g} seconds" in problem.message
    assert problem.kind == "unreadable" and graded["many"].complete and graded["many"].points == 0


def test_an_ordinary_submission_leaves_most_of_its_time(tiny_course: Path, tmp_path: Path) -> None:
    (tmp_path / "01_share.py").write_text(RIGHT)
    began = time.thread_time()
    read_submission(tmp_path, load_course(tiny_course / "course.yml"))
    assert time.thread_time() - began < READING_SECONDS / 20


HANDED_IN: Mapping[str, Callable[[Path], object]] = {
    "folder": lambda path: (path.mkdir(), (path / "01_share.py").write_text(RIGHT)),
    "zip.zip": lambda path: _dear_zip(path, 1),
    "notebook.ipynb": lambda path: path.write_bytes(notebook(RIGHT)),
    "file.py": lambda path: path.write_text(RIGHT),
}


@pytest.mark.parametrize("name", HANDED_IN)
def test_time_is_looked_at_wherever_something_is_read(
    name: str, tiny_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    HANDED_IN[name](tmp_path / name)
    monkeypatch.setattr(walk, "READING_SECONDS", 0)
    with pytest.raises(SubmissionError, match="could not be read in 0 seconds"):
        read_submission(tmp_path / name, load_course(tiny_course / "course.yml"))


# --- what was read, and what is answered ------------------------------------------------------------------------------

ONE_TENSOR = pytest.param("torch.zeros(3_000_000)", "has shape (3000000,)", id="one tensor")
MANY_PARTS = pytest.param('[["x" * 250] * 100] * 90', "a list of 90 came back", id="many small parts")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["Unix", "Windows", "old Macintosh"])
def test_notes_and_docstring_count_for_nothing_whatever_ends_the_lines(end: str) -> None:
    text = '# a note\n\n"""What it does.\n\nAnd how."""\n\nimport torch\n# more\nx = 1\n'
    assert list(_code_lines(text.replace("\n", end))) == ["import torch", "x = 1"]


def test_few_of_many_names_are_likened_to_the_missing_one() -> None:
    lines = [f"def other{number}():" for number in range(MOST_LIKENED)] + ["def softmaxx():"]
    assert "there is a" not in _no_entry_text("softmax", lines)
    assert "there is a `softmaxx`" in _no_entry_text("softmax", lines[1:])


@pytest.mark.parametrize(("value", "says"), [ONE_TENSOR, MANY_PARTS])
def test_large_answers_are_not_kept(value: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one exercise little, and nothing while the next one is examined."""
    begun, kept, records = WeakSet[Session](), list[int](), list[Record]()
    run = Session.run

    def noted(session: Session) -> None:
        assert not any(each.endings for each in begun)
        begun.add(session)
        run(session)
        frames = [
            wire.pack([dict(a.values) for a in e.answers], 1 << 30) for c in session.endings for e in session.asked(c)
        ]
        kept.append(sum(map(len, frames)))

    monkeypatch.setattr(Session, "run", noted)
    source = "import torch\n\n\ndef {}(*inputs):\n    return {}\n"
    files = {id: SourceFile(id, f"{id}.py", source.format(id, value).encode()) for id in ("softmax", "dot_scores")}
    judge = Judge(load_course(ROOT / "course.yml"), "reduced", 7, list(files))
    try:
        judge.grade([Submission("someone", files, ())], records.append)
    finally:
        judge.close()
    assert len(kept) == 2 and max(kept) <= MAX_KEPT_BYTES
    assert records[0].points == 0 and records[0].complete
    assert all(says in each.checks[0].message for each in records[0].exercises)
