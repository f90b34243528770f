"""What `kata forget` takes along, and what stays the others'; all that it says: tests/transcripts/class-forgotten.txt."""

from __future__ import annotations

from typing import Any

import pytest

from grader.classroom.after_grading import forget_learner
from grader.classroom.store import reading


def test_unmatched_work_goes_unless_a_person_gave_it_to_another(room: Any) -> None:
    """The learner's name begins another's, and is a word of ours."""
    given = {"Others'": "Other Eco", "homework of Other": "Other Fey"}
    entries = ["Dora", "stranger", "24", "old work", *given]
    match = "\n".join(
        ["entry,learner", *(f"{entry},{learner}" for entry, learner in {**given, "old work": "24"}.items())]
    )
    roster = "id,name\n21,Dora\n22,Other Eco\n23,Other Fey\n24,Other\n"
    room.grade({f"{entry}/share.py": True for entry in entries}, roster, match=match)
    assert set(room.unmatched) == {"old work", "24", "stranger", *given}
    list(forget_learner(room.out, "24", room.course))
    kept = {"Others'": "22", "homework of Other": "23"}
    assert set(room.unmatched) == set(kept)
    with reading(room.out) as store:
        assert {each.entry: each.learner for each in store.unmatched()} == kept
        assert [each.id for each in store.learners()] == ["21", "22", "23"]
    room.grade(resume=True)
    assert set(room.unmatched) == {"old work", "24", "stranger", *given}


def test_whoever_was_forgotten_by_half_can_be_forgotten_again(room: Any) -> None:
    room.grade({"ada/share.py": True, "bo/share.py": True}, pages=True)
    results = room.out / "results.jsonl"
    results.unlink()
    results.mkdir()  # so it cannot be written
    with pytest.raises(OSError, match=str(results)):
        list(forget_learner(room.out, "ada", room.course))
    results.rmdir()
    (room.out / ".kata-unfinished-1").write_text("of a killed run: ada")
    list(forget_learner(room.out, "ada", room.course))
    assert not list(room.out.glob(".kata-unfinished-*"))
    assert list(room.points) == ["bo"]
    assert [path.name for path in room.out.glob("learner-*")] == ["learner-bo.html"]
