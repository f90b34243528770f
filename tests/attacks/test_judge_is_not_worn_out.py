"""Files and answers made to cost the judge's own process time or memory; it has no limit but what is written here."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.answers import Answers
from grader.judge.failure import MOST_LIKENED, _no_entry_text
from grader.judge.grading import Judge
from grader.judge.learner import _code_lines
from grader.judge.session import MAX_KEPT_BYTES, Session
from grader.record import Record

LARGE = b"import torch\n\n\ndef share(amounts):\n    return torch.zeros(3_000_000)\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["Unix", "Windows", "old Macintosh"])
def test_notes_and_docstring_count_for_nothing_whatever_ends_the_lines(end: str) -> None:
    text = '# a note\n\n"""What it does.\n\nAnd how."""\n\nimport torch\n# more\nx = 1\n'
    assert _code_lines(text.replace("\n", end)) == ["import torch", "x = 1"]


def test_few_of_many_names_are_likened_to_the_missing_one() -> None:
    lines = [f"def other{number}():" for number in range(MOST_LIKENED)] + ["def softmaxx():"]
    assert "there is a" not in _no_entry_text("softmax", lines)
    assert "there is a `softmaxx`" in _no_entry_text("softmax", lines[1:])


def test_size_of_answers_is_that_of_all_their_parts() -> None:
    values = {"output": (torch.zeros(10), {"a": torch.zeros(5, dtype=torch.float64)}), "text": "x" * 100}
    assert 40 + 40 + 100 <= Answers(values).size < 250


def test_large_answers_are_not_kept(tiny_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, records = list[int](), list[Record]()
    close = Session.close

    def closed(session: Session) -> None:
        kept.append(sum(a.size for each in session._learners.values() for e in each.exchanges for a in e.answers))
        close(session)

    monkeypatch.setattr(Session, "close", closed)
    judge = Judge(load_course(tiny_course / "course.yml"), "reduced", 7)
    try:
        judge.grade([Submission("someone", {"share": SourceFile("share", "01_share.py", LARGE)}, ())], records.append)
    finally:
        judge.close()
    assert kept and max(kept) <= MAX_KEPT_BYTES
    assert records[0].points == 0 and records[0].complete
    assert "has shape (3000000,)" in records[0].exercises[0].checks[0].message
