"""Which of the cells that were run is an exercise's answer, and what is put in front of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.course import load_course
from grader.course.stubs import stub_of
from grader.in_notebook import MOST_CELLS, MOST_CHARACTERS, executed_cells
from grader.intake import SubmissionError
from grader.practice.checking import ExecutedAnswer, answer_among

from ..cases import rows, table

COURSE = load_course(Path(__file__).parents[2] / "course.yml")


def answer(id: str, *texts: str) -> ExecutedAnswer | None:
    return answer_among(list(enumerate(texts, 1)), COURSE.exercise(id), COURSE)


def source_of(found: ExecutedAnswer) -> str:
    (only,) = found.submission.sources.values()
    return only.content.decode()


def stub(id: str) -> str:
    return stub_of(COURSE, COURSE.exercise(id))


TWINS = [("self_attention", "debug_attn_weights"), ("multi_head_attention", "padded_multi_head_attention")]


@pytest.mark.parametrize(("one", "other"), TWINS, ids=[one for one, _ in TWINS])
def test_exercises_that_ask_for_one_name_are_told_apart_by_their_heading(one: str, other: str) -> None:
    texts = (stub(one), stub(other))
    assert [answer(one, *texts).number, answer(other, *texts).number] == [1, 2]  # type: ignore[union-attr]
    assert [answer(one, *texts[::-1]).number, answer(other, *texts[::-1]).number] == [2, 1]  # type: ignore[union-attr]
    assert answer(other, texts[0]) is None


@rows(table(__file__, "cases.yml")["executed"], "exercise", "cells", "number", "source", "lines_before")
def test_an_answer_is_found_and_what_it_needs_put_before_it(
    exercise: str, cells: list[str], number: int, source: str, lines_before: int
) -> None:
    found = answer(exercise, *cells)
    assert found is not None
    assert (found.number, source_of(found), found.lines_before) == (number, source, lines_before)


def test_stub_as_given_stays_as_it_is_whatever_other_cells_define() -> None:
    found = answer("softmax", "from __future__ import annotations\nfrom math import *", stub("softmax"))
    assert found is not None
    assert (source_of(found), found.lines_before) == (stub("softmax"), 0)


def test_answer_that_is_too_long_is_one_sentence() -> None:
    with pytest.raises(SubmissionError, match="holds more than 512 kB of code"):
        answer("softmax", "def softmax(scores):\n    pass\n" + "# long\n" * 100_000)


def shell(*texts: str) -> SimpleNamespace:
    typed = ["", *texts]
    return SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=typed))


def test_of_a_text_that_was_run_often_the_first_and_last_time_count() -> None:
    cells = executed_cells(shell("a = 1", "b = 2", "a = 1", "b = 2", "a = 1"))
    assert [(number, text) for number, text in cells] == [(1, "a = 1"), (2, "b = 2"), (4, "b = 2"), (5, "a = 1")]


def test_long_session_is_cut_at_its_beginning_and_pasted_data_left_out() -> None:
    many = executed_cells(shell(*(f"a = {number}" for number in range(2 * MOST_CELLS))))
    assert len(many) == MOST_CELLS and many[-1][1] == f"a = {2 * MOST_CELLS - 1}"
    large = executed_cells(shell("a = 1", "# " + "x" * MOST_CHARACTERS, "b = 2"))
    assert [text for _, text in large] == ["a = 1", "b = 2"]
