"""What `kata forget` takes along and what stays the others'; all that it says: tests/transcripts/class-forgotten.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.classroom.learner_requests import forget_learner
from grader.classroom.store import reading


def forget(room: Any, text: str) -> list[str]:
    return list(forget_learner(room.out, text, room.course))


def members(out: Path) -> list[str]:
    with reading(out) as store:
        return [each.id for each in store.learners()]


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
