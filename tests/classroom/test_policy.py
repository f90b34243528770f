"""What does not count in a class any more. Lateness, exemptions and points set by hand: tests/transcripts/class-*.txt."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

from grader.course import load_course
from grader.course.model import catalogue_of, part_of
from grader.record import Record

Kata = Callable[..., "subprocess.CompletedProcess[str]"]


def came_to(record: Record) -> tuple[float, float]:
    return record.counted_points, record.counted_max_points


def test_withdrawn_exercise_counts_for_nobody_and_no_record_changes(room: Any, kata: Kata) -> None:
    """Nothing is graded again: Ada keeps what she had elsewhere, and Bo, who comes later, is out of as much."""
    room.grade({"ada/share.py": False, "ada/split.py": True})
    before = room.records["ada"]
    catalogue = room.root / "course.yml"
    left = catalogue.read_text("utf-8").partition("  - folder: 02_more")[0]
    catalogue.write_text(left.replace('version: "1"', 'version: "2"'), "utf-8")
    run = room.grade({"bo/share.py": True, "bo/split.py": True}, resume=True)
    assert run.graded == ["bo"]
    assert "No longer part of the course, so it counts for nobody: split." in run.remarks
    ada, bo = room.records.values()
    assert {each.id: each.checks for each in ada.exercises} == {each.id: each.checks for each in before.exercises}
    assert [each.id for each in bo.exercises] == ["share"]
    assert (ada.points, ada.max_points, came_to(ada), came_to(bo)) == (4, 8, (0, 4), (4, 4))
    told = "split is no longer part of the course: neither its points nor its 4 count."
    assert [each.reason for each in ada.adjustments or ()] == [told]
    assert room.grade(resume=True).graded == [] and list(room.records.values()) == [ada, bo]
    assert "split" not in room.export(kata, "canvas", "--by", "exercise").stdout.lower()


def test_course_still_loads_a_part_with_an_exemption_elsewhere(room: Any) -> None:
    room.edit("course.yml", "units:\n", "policy: {exempt: [split, share]}\nunits:\n")
    part = part_of(room.course, ["share"])
    assert part.policy.exempt == ("share",)
    path = room.root / "other.yml"
    path.write_bytes(catalogue_of(part))
    assert load_course(path).policy.exempt == ("share",)
