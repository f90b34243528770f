"""What a learner can run in a lesson says what the lesson says it does."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import torch
from reading import BLOCK, LESSONS, sections_of

TRY = "Try this"
LEAST, MOST = 2, 3
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
        torch.manual_seed(0)
        try:
            exec(compile(code, "lesson", "exec"), {"__name__": "lesson"})
        except Exception as error:  # some of them fail on purpose
            print(f"{type(error).__name__}: {error}")
    assert printed.getvalue() == output


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.parent.name)
def test_a_unit_closes_with_a_few_short_things_to_try(lesson: Path) -> None:
    sections = sections_of(lesson)
    assert TRY in list(sections)[-2:]
    tried = snippets_of(sections[TRY])
    assert LEAST <= len(tried) <= MOST
    assert all(len(code.splitlines()) <= LINES_AT_MOST for code, _ in tried)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.parent.name)
def test_a_unit_opens_with_a_question_or_with_something_that_goes_wrong(lesson: Path) -> None:
    opening = sections_of(lesson)[""]
    assert "?" in opening and snippets_of(opening)
