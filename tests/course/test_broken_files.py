"""A broken course.yml: every error in one go, each with its line, in words an author understands."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from grader.course import CourseError, load_course
from tests.cases import table

HERE = Path(__file__).parent
SOUND = (HERE / "sound.yml").read_text(encoding="utf-8")
CASES = table(__file__, "broken.yml")
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


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_every_error_is_told_with_its_line(case: dict[str, Any], tmp_path: Path) -> None:
    told = complaint(tmp_path, text_of(case)).splitlines()
    assert len(told) == len(case["says"]), told
    for line, expected in zip(told, case["says"], strict=True):
        if expected.endswith(" ..."):
            assert line.startswith("course.yml cannot be read: ") and expected[:-4] in line
        else:
            assert line == f"course.yml:{expected}"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_that_is_not_utf8_is_told(encoding: str, tmp_path: Path) -> None:
    told = complaint(tmp_path, "title: a\nversion: caf\u00e9\n".encode(encoding))
    assert told.startswith("course.yml cannot be read: 'utf-8' codec can't decode byte")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=rf"^course\.yml cannot be read: .*No such file.*{re.escape(str(tmp_path))}"):
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
                assert re.fullmatch(r"course\.yml(:[1-9]\d*| cannot be read): \S.*", line), text


def test_a_policy_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text("drop_lowest_units: 1\ngrace_minutes: none\n", encoding="utf-8")
    assert complaint(tmp_path, SOUND).startswith("policy.yml:2: `grace_minutes` is `none`: Input should be")
    (tmp_path / "policy.yml").write_text("", encoding="utf-8")
    assert complaint(tmp_path, SOUND).startswith("policy.yml:1: `policy` is ``: Input should be")
    (tmp_path / "policy.yml").write_text("drop_lowest_units: 1\n", encoding="utf-8")
    assert load_course(tmp_path / "course.yml").policy.drop_lowest_units == 1
    both = complaint(tmp_path, f"{SOUND}policy:\n  drop_lowest_units: 2\n")
    assert both.endswith("`policy` stands in policy.yml too: keep one of them")
