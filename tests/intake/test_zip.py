"""Zips that are hostile, damaged or odd. What ordinary ones hold is in cases.yml; those refused whole, in zips.yml."""

from __future__ import annotations

import io
import stat
import struct
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.files import UnreadableError
from grader.intake import Submission, SubmissionError, read_submission, walk
from tests.cases import rows, table

CENTRAL = b"PK\x01\x02"
ANSWER = ("03_softmax.py", "answer")
TABLES = table(__file__, "zips.yml")


def packed(members: Sequence[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED, kind: int = 0) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as made:
        warnings.simplefilter("ignore")  # about the duplicate names that a test wants
        for place, (name, content) in enumerate(members):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0 if place else kind << 16
            made.writestr(info, content, method)
    return buffer.getvalue()


def patched(content: bytes, header: bytes, offset: int, form: str, value: int, which: int = 0) -> bytes:
    """Overwrite one field of the `which`-th header of a kind."""
    start = -1
    for _ in range(which + 1):
        start = content.index(header, start + 1)
    field = struct.pack(form, value)
    return content[: start + offset] + field + content[start + offset + len(field) :]


def made(case: dict[str, Any]) -> bytes:
    """The zip of a row of zips.yml."""
    if "bytes" in case:
        return case["bytes"].encode("latin-1")
    names = case.get("names") or [f"{number}.txt" for number in range(case.get("number", 0))]
    members = [(name, str(place)) for place, name in enumerate([*names, "causal_mask.py"])] if names else [ANSWER]
    kind = getattr(stat, case["kind"]) | 0o777 if "kind" in case else 0
    content = packed(case.get("members", members), getattr(zipfile, case.get("method", "ZIP_DEFLATED")), kind)
    content = patched(content, *case["patch"]) if "patch" in case else content
    old, new = (text.encode("latin-1") for text in case.get("put", ("answer", "answer")))
    return content.replace(old, new)[case.get("from") : case.get("to")]


Read = Callable[[bytes], Submission]


@pytest.fixture
def read(tmp_path: Path, course: Course) -> Read:
    """Reads these bytes as alice's zip."""

    def read_zip(content: bytes) -> Submission:
        (tmp_path / "alice.zip").write_bytes(content)
        return read_submission(tmp_path / "alice.zip", course)

    return read_zip


@rows(TABLES["read"])
def test_right_answer_is_read(read: Read, case: dict[str, Any]) -> None:
    (source,) = read(case.get("before", b"") + made(case)).sources.values()
    assert (source.name, source.content.decode()) == (case["name"], case["holds"])


@rows(TABLES["refused"])
def test_hostile_zip_is_refused_at_once(read: Read, case: dict[str, Any]) -> None:
    content = made(case)
    started = time.process_time()
    with pytest.raises(SubmissionError) as error:
        read(content)
    assert time.process_time() - started < 1
    assert str(error.value).startswith("alice.zip ") and str(error.value).isprintable()
    assert case["says"] in str(error.value)


@rows(TABLES["left out"])
def test_hostile_member_is_left_out_and_takes_no_other_along(read: Read, case: dict[str, Any]) -> None:
    content = made(case)
    started = time.process_time()
    submission = read(content)
    assert time.process_time() - started < 1
    assert list(submission.sources) == ["causal_mask"]
    (problem,) = submission.problems
    assert problem.kind == "refused" and problem.message.isprintable() and len(problem.message) < 300
    assert problem.message.startswith(case["says"])
    assert problem.exercise == ("softmax" if Path(problem.file).name in ("softmax.py", "03_softmax.py") else None)


@rows(TABLES["twice"])
def test_path_that_is_in_a_zip_twice_is_two_answers(read: Read, case: dict[str, Any]) -> None:
    submission = read(made(case))
    assert list(submission.sources) == case["taken"]
    assert [(each.kind, each.exercise) for each in submission.problems] == [("duplicate", "softmax")][
        len(case["taken"]) :
    ]


@pytest.mark.parametrize("place", ["", "alice/"], ids=["by itself", "alone in a folder"])
@rows(TABLES["broken"])
def test_broken_zip_is_one_sentence(tmp_path: Path, course: Course, case: dict[str, Any], place: str) -> None:
    (tmp_path / "alice").mkdir()
    (tmp_path / f"{place}alice.zip").write_bytes(made(case))
    with pytest.raises(SubmissionError, match=r"^alice\.zip is damaged or not a zip; zip your"):
        read_submission(tmp_path / (place or "alice.zip"), course)


@pytest.mark.parametrize("start", range(3))
def test_every_damage_is_one_sentence_or_a_problem(read: Read, start: int) -> None:
    whole = packed([ANSWER, ("causal_mask.py", "mask")])
    for position in range(start, 220, 3):
        content = bytearray(whole)
        content[position % len(content)] ^= 0xFF
        try:
            submission = read(bytes(content))
        except SubmissionError as error:
            assert str(error).startswith("alice.zip ") and str(error).isprintable()
        else:
            assert {source.content for source in submission.sources.values()} <= {b"answer", b"mask"}


@rows(TABLES["damaged"])
def test_damaged_member_is_a_problem_of_its_exercise(read: Read, case: dict[str, Any]) -> None:
    submission = read(made(case))
    (problem,) = submission.problems
    assert submission.sources == {}
    assert (problem.kind, problem.exercise) == ("unreadable", "softmax")
    assert problem.message.startswith(
        f"03_softmax.py {case.get('says', 'is damaged, locked with a password or packed')}"
    )


def test_damaged_member_takes_no_other_along(read: Read) -> None:
    content = packed([("causal_mask.py", "mask"), ANSWER], zipfile.ZIP_STORED).replace(b"answer", b"ANSWER")
    assert list(read(content).sources) == ["causal_mask"]


@pytest.mark.parametrize("size", [0, 100, 200_000, 600_000])
def test_bomb_that_says_it_is_small_gives_no_more_than_it_says(read: Read, size: int) -> None:
    bomb = made(TABLES["left out"]["bomb with an honest header"])
    (problem,) = read(patched(bomb, CENTRAL, 24, "<L", size)).problems
    assert problem.message.startswith("softmax.py is damaged, locked")


@pytest.mark.thorough
def test_many_small_bombs_are_stopped_by_the_total(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_RATIO", 10_000)
    same = b"#" * 1_000_000
    with pytest.raises(SubmissionError, match="holds more than 64 MB"):
        read(packed([(f"{number}_softmax.py", same) for number in range(80)]))


@pytest.mark.parametrize(("entries", "comment"), [(100_000, 0), (2000, 40_000)], ids=["many", "long"])
def test_endless_table_of_contents_is_not_read(entries: int, comment: int) -> None:
    numbers = (20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, comment, 0, 0, 0, 0)
    entry = struct.pack("<4s4B4HL2L5H2L", CENTRAL, *numbers) + b"a" + b"#" * comment
    table = entry * entries
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(table), 0, 0)
    started = time.process_time()
    with pytest.raises(UnreadableError, match=r"holds more than 20000 files|is damaged or not a zip"):
        walk.list_zip(io.BytesIO(table + end), 2048)
    assert time.process_time() - started < 1


def test_zip_larger_than_the_limit_is_not_opened(tmp_path: Path, course: Course) -> None:
    with (tmp_path / "alice.zip").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SubmissionError, match="is larger than 32 MB"):
        read_submission(tmp_path / "alice.zip", course)


def test_nothing_is_written(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    read(packed([ANSWER, ("notes.txt", "x")]))
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["alice.zip", "here"]


def test_zip_without_permission_is_one_sentence(ordinary_user: Path, course: Course) -> None:
    path = ordinary_user / "alice.zip"
    path.write_bytes(packed([ANSWER]))
    path.chmod(0)
    with pytest.raises(SubmissionError, match=r"^alice\.zip cannot be opened: permission denied\.$"):
        read_submission(path, course)
