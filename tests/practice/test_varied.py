"""A review's stub: other names in the formula, the contract's to the letter, and untouched until it is edited."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.course.stubs import stub_of
from grader.practice.varied import HABITS, is_as_given, varied_stub

COURSE: Course = load_course(Path(__file__).parents[2] / "course.yml")
REVIEWS = range(1, 9)
VARIED = {
    "qkv_parameters", "qkv_linear", "self_attention", "cross_attention", "causal_attention", "multi_head_attention",
    "padded_multi_head_attention", "grouped_query_attention", "kv_cache", "transformer_block", "decoder_attention",
    "flash_attention", "latent_attention",
}  # fmt: skip

every_exercise = pytest.mark.parametrize("id", [exercise.id for exercise in COURSE.exercises])
every_varied = pytest.mark.parametrize("id", sorted(VARIED))


def variations(id: str) -> tuple[str, list[str]]:
    exercise = COURSE.exercise(id)
    stub = stub_of(COURSE, exercise)
    return stub, [varied_stub(exercise, stub, number).text for number in REVIEWS]


def code(text: str) -> list[str]:
    """Everything but the module's docstring."""
    tokens = [(token.type, token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    return [string for _, string in tokens[1:]]


@every_exercise
def test_only_the_docstring_may_change(id: str) -> None:
    stub, varied = variations(id)
    assert all(code(text) == code(stub) for text in varied)
    assert (set(varied) != {stub}) == (id in VARIED)


@every_varied
def test_names_of_layers_and_examples_stay(id: str) -> None:
    stub, varied = variations(id)
    names = re.compile(r"\b(?:W_\w+|\w+_proj|linear_\w|out_proj|wq|wk|wv|wo|hidden_size|d_in|d_out|att_dropout)\b")
    used = set(names.findall(stub))
    examples = [line for line in stub.splitlines() if line.lstrip().startswith(">>>")]
    for text in varied:
        assert used <= set(names.findall(text))
        assert [line for line in text.splitlines() if line.lstrip().startswith(">>>")] == examples


@every_varied
def test_every_variation_follows_one_habit_that_means_nothing_else_there(id: str) -> None:
    exercise = COURSE.exercise(id)
    stub = stub_of(COURSE, exercise)
    for number in REVIEWS:
        variation = varied_stub(exercise, stub, number)
        assert variation.names in HABITS
        assert variation.names != variation.former
        if "_" in variation.names[0]:
            assert variation.names[0] not in stub
        docstring = ast.get_docstring(ast.parse(variation.text)) or ""
        assert all(name in docstring for name in variation.names)


@every_varied
def test_the_same_review_has_the_same_names_and_the_next_has_others_where_there_are(id: str) -> None:
    stub, varied = variations(id)
    assert varied == variations(id)[1]
    if len(set(varied)) > 1:
        assert all(one != other for one, other in itertools.pairwise(varied))
    assert stub not in varied


@every_exercise
def test_a_file_as_it_was_handed_out_is_untouched(id: str) -> None:
    exercise = COURSE.exercise(id)
    stub, varied = variations(id)
    for text in {stub, *varied}:
        assert is_as_given(exercise, text.encode(), stub)
        assert is_as_given(exercise, text.replace("\n", "\r\n").encode(), stub)
        assert not is_as_given(exercise, (text + "x = 1\n").encode(), stub)


@every_varied
def test_columns_stay_columns(id: str) -> None:
    stub, varied = variations(id)
    for text in varied:
        tables = [len(re.split(r"\S {2,}\S", line)) for line in text.splitlines()]
        assert tables == [len(re.split(r"\S {2,}\S", line)) for line in stub.splitlines()]
        assert max(map(len, text.splitlines())) <= 140
