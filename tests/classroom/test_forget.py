"""`kata forget OUT LEARNER`: nothing of the learner is left in OUT, everything of the others is, and it says what it cannot reach."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from grader.classroom.learner_requests import forget_learner
from grader.classroom.store import reading
from tests.cases import rows, table

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

ROSTER = """\
id,name,email,handed_in
18151210,Ada Byron,byron@uni.example,2026-03-02 10:00 +00:00
1816,Bo Chen,chen@uni.example,2026-03-01 10:00 +00:00
1817,Carla Diaz,diaz@uni.example,
1818,Carla Diaz,other@uni.example,
"""
POLICY = "policy:\n  time_zone: Europe/London\n  due: {01_parts: 2026-03-01 12:00}\n  late_percent_per_day: 10\n"


@pytest.fixture
def term(room: Any) -> Any:
    """A class that was graded twice, with a roster and pages."""
    room.edit("course.yml", "documents:\n", f"{POLICY}documents:\n")
    files = {f"{id}/share.py": id != "1816" for id in ("18151210", "1816", "1817")}
    room.grade({**files, "18151210/Ada Byron notes.txt": "mine"}, ROSTER, pages=True)
    room.grade({}, ROSTER, pages=True)
    return room


def forget(room: Any, text: str) -> list[str]:
    return list(forget_learner(room.out, text, room.course))


def files(out: Path) -> dict[str, bytes]:
    there = [path for path in sorted(out.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in there}


def members(out: Path) -> list[str]:
    with reading(out) as store:
        return [each.id for each in store.learners()]


@rows(table(__file__, "forget.yml"), "arguments", "told")
def test_refusals_change_nothing(arguments: list[str], told: str, term: Any, kata: Kata) -> None:
    before = files(term.place)
    done = kata("forget", *arguments, cwd=term.place)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert files(term.place) == before


def test_nobody_is_forgotten_while_a_run_grades_into_out(term: Any, kata: Kata) -> None:
    before = files(term.place)
    with FileLock(term.out / ".lock"):
        done = kata("forget", "out", "18151210", cwd=term.place)
    assert done.returncode == 2 and "Another command is writing into out" in done.stderr
    assert files(term.place) == before


@pytest.mark.parametrize("name", ["unit", "moment", "file", "class", "Nobody", "called", "group", "more"])
def test_learner_who_is_called_like_a_word_of_the_format_takes_nothing_along(name: str, room: Any) -> None:
    """`notes.txt` is no submission, and `stranger` is nobody's: both have a reason, in words of ours."""
    files = {f"{each}/share.py": True for each in (name, "ada", "stranger")}
    room.grade({**files, "notes.txt": "mine"}, f"id,name\nada,Ada Byron\n{name},{name}\n")
    listed = room.unmatched
    forget(room, name)
    assert members(room.out) == ["ada"] and list(listed) == ["notes.txt", "stranger"]
    assert room.unmatched == listed


def test_what_tells_of_the_learner_goes_and_what_a_person_gave_to_others_stays_theirs(room: Any) -> None:
    given = {"Adam's": "Adam Eco", "homework of Ada": "Ada Fey"}
    entries = ["Dora", "Ada's", "24", "Ada's old work", *given]
    match = "\n".join(["entry,learner", *(f"{entry},{learner}" for entry, learner in {**given, "Ada's": "24"}.items())])
    roster = "id,name\n21,Dora\n22,Adam Eco\n23,Ada Fey\n24,Ada\n"
    room.grade({f"{entry}/share.py": True for entry in entries}, roster, match=match)
    assert set(room.unmatched) == {"Ada's", "24", "Ada's old work", *given}
    forget(room, "24")
    with reading(room.out) as store:
        assert {each.entry: each.learner for each in store.unmatched()} == given
