"""A broken course.yml: every error in one go, each with its line, in words an author understands."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course import CourseError, load_course

SOUND = """\
title: Tiny course
version: "1.0"
documents:
  notes:
    title: Notes on nothing
    author: Nobody
    language: English
limits:
  seconds: 10
units:
  - folder: 01_first
    title: First steps
    exercises:
      - id: one
        number: 1
        kind: implement
        title: The first
        points: 2
        document: notes
        step: page 1
        entry_points: [one]
        hints: [vague, clearer, almost code]
      - id: two
        number: 2
        kind: debug
        title: The second
        points: 3.5
        requires: [one]
        document: notes
        step: page 2
        entry_points: [Two]
        limits:
          memory_mb: 1500
        hints: [faint, brighter, nearly there]
  - folder: 02_second
    title: Second steps
    extra_credit: true
    exercises:
      - id: three
        number: 1
        kind: implement
        title: The third
        points: 4
        requires: [one, two]
        document: notes
        step: page 3
        entry_points: [three]
        forbidden:
          calls: [softmax]
          operators: ["aten::_softmax"]
          reason: you write it
        hints: [cold, warm, hot]
"""


CASES = yaml.safe_load(Path(__file__).with_name("broken.yml").read_text(encoding="utf-8"))
"""Wrong files and what is said of them."""


def text_of(case: dict[str, Any]) -> str:
    """The text of a wrong file: its own, or the sound one with changes of what stands in it."""
    text: str = case.get("text", SOUND)
    for old, new in case.get("changes", ()):
        assert old in text, f"{old!r} is not in the sound file"
        text = text.replace(old, new, 1)
    return text + case.get("append", "")


def complaint(folder: Path, content: str | bytes) -> str:
    path = folder / "course.yml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CourseError) as caught:
        load_course(path)
    return str(caught.value)


def test_the_sound_file_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "course.yml"
    path.write_text(SOUND, encoding="utf-8")
    assert [exercise.id for exercise in load_course(path).exercises] == ["one", "two", "three"]


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_every_error_is_told_with_its_line(case: dict[str, Any], tmp_path: Path) -> None:
    told = complaint(tmp_path, text_of(case)).splitlines()
    assert len(told) == len(case["says"]), told
    for line, expected in zip(told, case["says"], strict=True):
        if expected.endswith("..."):
            assert line.startswith(f"course.yml:{expected[:-3]}")
        else:
            assert line == f"course.yml:{expected}"


@pytest.mark.parametrize(("encoding", "line"), [("latin-1", 2), ("utf-16", 1)])
def test_a_file_that_is_not_utf8_is_told(encoding: str, line: int, tmp_path: Path) -> None:
    told = complaint(tmp_path, "title: a\nversion: caf\u00e9\n".encode(encoding))
    assert told == f"course.yml:{line}: this is not text in UTF-8: save the file as UTF-8"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"^course\.yml: there is no such file in ") as caught:
        load_course(tmp_path / "course.yml")
    assert str(caught.value).endswith(str(tmp_path))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "course.yml").mkdir()
    with pytest.raises(CourseError, match=r"^course\.yml: this file cannot be read"):
        load_course(tmp_path / "course.yml")


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_in_the_file_the_answer_is_sentences(seed: int, tmp_path: Path) -> None:
    """Mangle the sound file at random: it loads, or it is refused with a line."""
    draw = random.Random(seed)
    path = tmp_path / "course.yml"
    scraps = ["\t", *"[]{}'\"~5\\\n", ": ", "- ", "? ", "| ", "*a", "&a ", "!!x ", "yes", "aten"]
    for _ in range(20):
        text = SOUND
        for _ in range(draw.randint(1, 4)):
            start = draw.randrange(len(text))
            text = text[:start] + draw.choice(scraps) + text[start + draw.randint(0, 3) :]
        path.write_text(text, encoding="utf-8")
        try:
            load_course(path)
        except CourseError as error:
            for line in str(error).splitlines():
                assert re.fullmatch(r"course\.yml:[1-9]\d*: \S.*", line), text


def test_a_policy_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text("drop_lowest_units: 1\ngrace_minutes: none\n", encoding="utf-8")
    assert complaint(tmp_path, SOUND) == "policy.yml:2: `grace_minutes` should be a valid integer, not `none`"
    (tmp_path / "policy.yml").write_text("drop_lowest_units: 1\n", encoding="utf-8")
    assert load_course(tmp_path / "course.yml").policy.drop_lowest_units == 1
    both = complaint(tmp_path, f"{SOUND}policy:\n  drop_lowest_units: 2\n")
    assert both.endswith("`policy` stands in policy.yml too: keep one of them")
