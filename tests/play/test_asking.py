"""A class without attention weights in its answer is seen to attend all the same: by values that tell who was looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from grader.play import nets
from grader.play.stage import CLASSES, Attending, Stopped

from ..cases import rows
from .conftest import CASES

LETTERS, HEADS = 23, 4
CAUSAL = ("causal_attention", "multi_head_attention", "multi_head_wrapper")


@pytest.fixture
def layers():
    return nets.layers_of(nets.load("letters"), HEADS)


@pytest.fixture
def x():
    return torch.randn(LETTERS, 64, generator=torch.Generator().manual_seed(1))


def asked(stage, id, layers, *edits, **how):
    return Attending(stage(id, *edits, **how), CLASSES[id], layers)


@pytest.mark.parametrize("id", CAUSAL)
def test_output_and_weights_of_right_code_are_those_of_the_formula(stage, layers, x, id):
    code, places = asked(stage, id, layers), nets.causal(LETTERS)
    for number, layer in enumerate(layers):
        came = code.attend(number, x[None]), code.weights(number, x)[None]
        torch.testing.assert_close(came, (*nets.right_attention(layer, x[None], places),), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("id", CAUSAL)
def test_without_the_mask_every_letter_sees_all(stage, layers, x, id):
    code = replace(asked(stage, id, layers), off=("mask",))
    came = code.attend(1, x[None]), code.weights(1, x)[None]
    torch.testing.assert_close(came, (*nets.right_attention(layers[1], x[None]),), atol=1e-5, rtol=1e-4)


def test_without_the_scale_the_scores_are_as_large_as_they_come(stage, layers, x):
    code = replace(asked(stage, "multi_head_attention", layers), off=("scale",))
    unscaled = replace(layers[0], query=layers[0].query * 4)  # heads are 16 wide
    right = nets.right_attention(unscaled, x[None], nets.causal(LETTERS)).weights[0]
    torch.testing.assert_close(code.weights(0, x), right, atol=1e-5, rtol=1e-4)


def test_a_head_that_is_off_passes_nothing_on_and_the_others_all(stage, layers, x):
    code = asked(stage, "multi_head_attention", layers)
    off = [replace(code, off=(f"head:1.{head + 1}",)).attend(0, x[None]) for head in range(HEADS)]
    whole, bias = code.attend(0, x[None]), layers[0].out_bias
    torch.testing.assert_close(sum(whole - each for each in off), whole - bias, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("edit", "is_seen"),
    [
        pytest.param(("diagonal=1)", "diagonal=2)"), lambda w: float(w.diagonal(1, 1, 2).sum()) > 1, id="sees ahead"),
        pytest.param(
            ("self.mask[:n, :n]", "~self.mask[:n, :n]"), lambda w: bool(w[:, -1].isnan().all()), id="inverted"
        ),
        pytest.param((" / self.head_dim**0.5", ""), lambda w: float(w.amax(-1).mean()) > 0.6, id="no scale"),
        pytest.param(("dim=-1)", "dim=-2)"), lambda w: float((w.sum(-2) - 1).abs().max()) < 1e-4, id="other axis"),
    ],
)
def test_weights_of_wrong_code_are_its_own(stage, layers, x, edit, is_seen):
    wrong = asked(stage, "multi_head_attention", layers, edit).weights(0, x)
    right = nets.right_attention(layers[0], x[None], nets.causal(LETTERS)).weights[0]
    assert not torch.allclose(wrong, right, atol=0.1)
    assert is_seen(wrong)


@rows(CASES["stops"], "edits", "said")
def test_code_that_cannot_go_on_is_told_in_a_sentence(stage, layers, x, edits, said):
    with pytest.raises(Stopped, match=said):
        asked(stage, "multi_head_attention", layers, *edits).attend(0, x[None])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("import os; os._exit(0)", "ended the Python process", id="exit"),
        pytest.param("while True: pass", "No answer after", id="no end"),
    ],
)
def test_behind_the_wall_nothing_that_a_file_does_ends_the_scene(stage, layers, x, line, said):
    edit = ("return self.out_proj(context)", line)
    code = asked(stage, "multi_head_attention", layers, edit, level="process")
    with pytest.raises(Stopped, match=said):
        code.attend(0, x[None])
    right = asked(stage, "multi_head_attention", layers, level="process")
    assert right.attend(0, x[None]).shape == (1, LETTERS, 64)
