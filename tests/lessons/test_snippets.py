"""What a learner can run in a lesson says what the lesson says it does, and every lesson has the same parts."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import torch

from grader.course import load_course

from .reading import BLOCK, LESSONS, ROOT, sections_of

LINES_AT_MOST = 12
FOLLOWED = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def snippets_of(text: str) -> list[tuple[str, str]]:
    """Each piece of code and the output that stands below it."""
    found = FOLLOWED.findall(text)
    assert len(found) == sum(language == "python" for language, _ in BLOCK.findall(text)), "code without its output"
    return found


ALL = [
    pytest.param(code, output, id=f"{lesson.parent.name}-{number}")
    for lesson in LESSONS
    for number, (code, output) in enumerate(snippets_of(lesson.read_text(encoding="utf-8")), start=1)
]


@pytest.mark.parametrize(("code", "output"), ALL)
def test_a_piece_of_code_prints_what_stands_below_it(code: str, output: str) -> None:
    printed = io.StringIO()
    with torch.random.fork_rng(), contextlib.redirect_stdout(printed):
        torch.seed()  # what depends on chance sets a seed itself
        try:
            exec(compile(code, "lesson", "exec"), {"__name__": "lesson"})
        except Exception as error:  # some of them fail on purpose
            print(f"{type(error).__name__}: {error}")
    assert printed.getvalue() == output


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.parent.name)
def test_a_lesson_asks_a_question_has_a_section_for_each_exercise_and_ends_with_things_to_try(lesson: Path) -> None:
    sections = sections_of(lesson)
    assert "?" in sections[""]
    assert snippets_of(sections[""])
    (unit,) = (each for each in load_course(ROOT / "course.yml").units if each.folder == lesson.parent.name)
    assert [name for name in sections if name.isdigit()] == [f"{each.number:02d}" for each in unit.exercises]
    for exercise in unit.exercises:
        text = sections[f"{exercise.number:02d}"]
        assert f"*Exercise `{exercise.id}`, file `{exercise.number:02d}_{exercise.id}.py`" in text
        assert len(re.findall(r"^Source: ", text, re.MULTILINE)) == 1
    assert list(sections)[-2:] == ["Try this", "Notes on the documents"]
    tried = snippets_of(sections["Try this"])
    assert 2 <= len(tried) <= 3
    assert all(len(code.splitlines()) <= LINES_AT_MOST for code, _ in tried)
