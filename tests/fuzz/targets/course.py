"""course.yml: any file at all is a course, or is refused with a line for every problem."""

from __future__ import annotations

import re

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.course import CourseError, load_course
from tests.fuzz.damage import damaged, damaged_lines
from tests.fuzz.sound import assert_sentence
from tests.fuzz.watching import ROOT, scratch

WHOLE = (ROOT / "course.yml").read_text(encoding="utf-8")

SMALL = """\
title: Tiny
version: "1"
documents:
  sums:
    title: Sums and parts
    author: someone
    language: English
limits:
  request_seconds: 5
  source_kb: 100
policy:
  time_zone: Europe/Berlin
  due: {01_parts: "2026-11-20 18:00"}
  late_percent_per_day: 10
  grace_minutes: 5
units:
  - folder: 01_parts
    title: "Parts"
    exercises:
      - id: share
        number: 1
        kind: implement
        title: 'Parts of a whole'
        points: 4
        requires: []
        document: sums
        step: the first one
        entry_points: [share]
        forbidden: {calls: [torch.softmax], reason: Write it yourself.}
        hints:
          - What must a row add up to?
          - Divide by the sum.
          - |
            Sum over the last axis
            with keepdim=True.
      - id: whole
        number: 2
        kind: debug
        title: The whole
        points: 2.5
        requires: [share]
        document: sums
        step: the second
        entry_points: [Whole, share]
        limits: {seconds: 3}
        hints: [a, b, c]
"""

_LINE = re.compile(r"course\.yml:(\d+): \S.*")


def run(data: bytes) -> None:
    """The file gives a Course, or CourseError with places that are in the file."""
    path = scratch() / "course.yml"
    path.write_bytes(data)
    try:
        course = load_course(path)
    except CourseError as error:
        lines = str(error).split("\n")
        most = 2 + len(re.findall(rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]", data))
        for line in lines:
            assert_sentence(line)
            if not (found := _LINE.fullmatch(line)):
                assert line == "course.yml: the file is larger than 1 MB", line
            else:
                assert 1 <= int(found[1]) <= most, line
        return
    assert course.exercises and course.root == path.parent
    assert load_course(path) == course
    for exercise in course.exercises:
        assert course.exercise(exercise.id) == exercise
        for place in (course.solution_path(exercise), course.checks_path(exercise), course.mistakes_path(exercise)):
            assert place.resolve().is_relative_to(course.root.resolve()), place


def inputs() -> SearchStrategy[bytes]:
    """The real course and a small one with every kind of key, their lines and bytes damaged."""
    texts = [SMALL, SMALL, SMALL, WHOLE]
    return damaged_lines(texts) | damaged(st.just(SMALL.encode()))
