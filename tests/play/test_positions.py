"""The scenes of places: what a rotation, a slope and sines make of texts longer than any in training, worked out again."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.play.nets import POSITION_HEADS, TRAINED, clocks, right_places, sloped, turned
from grader.play.parts import Curve, Grid, Heat, Written
from grader.play.positions import KINDS, LONGEST, PERIOD, losses_of, right_stretches

from .conftest import parts_of, the, warnings

IDS = tuple(KINDS)


@pytest.mark.parametrize("kind", KINDS.values())
def test_as_long_as_in_training_all_three_know_what_was_said_before(kind):
    width = 64
    losses = losses_of(kind, right_places(kind, LONGEST, width))
    assert float(losses[PERIOD + 4 : TRAINED].mean()) < 0.1


def test_rotary_counts_distances_only_and_slower_clocks_read_on(scene):
    parts = parts_of(scene("rotary"))
    moved = next(part for part in parts if isinstance(part, Grid) and "begun" in part.header[0])
    assert all(float(cell) < 0.001 for row in moved.rows for cell in row[1:])
    lines = dict(the(Curve, parts).lines)
    assert max(lines["yours, base 1,000,000"]) < 0.5
    assert lines["yours: rotary"] == pytest.approx(right_stretches("rotary"), abs=0.01)
    assert warnings(parts) == []


@pytest.mark.parametrize("id", IDS)
def test_without_places_a_model_knows_no_order(scene, id):
    parts = parts_of(scene(id), off=["positions"])
    lines = dict(the(Curve, parts).lines)
    assert min(next(line for name, line in lines.items() if name.startswith("yours"))) > 2
    (_, with_places), (name, without) = the(Written, parts).texts
    assert name == "without positions"
    assert with_places.startswith("po ")
    assert not without.startswith("po ")


def test_a_head_that_looks_one_letter_back_is_on_the_first_map(scene):
    for id in IDS:
        heat = the(Heat, parts_of(scene(id)))
        weights = torch.tensor(heat.values)
        assert "looks one letter back most" in heat.title
        assert float(weights.diagonal(-1).mean()) > 1.5 * float(weights.diagonal(-5).mean())
        assert torch.allclose(weights.sum(-1), torch.ones(len(weights)), atol=1e-3)


WRONG = {
    "rotary": ("x1 * cos - x2 * sin, x1 * sin + x2 * cos", "x1 * cos + x2 * sin, x2 * cos - x1 * sin"),
    "alibi_bias": ("bias = -slopes", "bias = slopes"),
    "sinusoidal_positions": ("torch.arange(num_tokens", "1 + torch.arange(num_tokens"),
}


@pytest.mark.parametrize("id", IDS)
def test_wrong_places_are_shown_beside_the_formula(scene, id):
    parts = parts_of(scene(id, WRONG[id]))
    assert any("should look like this" in text for text in warnings(parts))
    lines = dict(the(Curve, parts).lines)
    yours = next(line for name, line in lines.items() if name.startswith("yours:"))
    formula = next(line for name, line in lines.items() if name.endswith("by the formula"))
    assert sum(yours[:2]) > sum(formula[:2])


def test_scores_that_depend_on_more_than_distance_are_seen(scene):
    """The table of later places sees what the losses do not."""
    wrong = ("x1 * cos - x2 * sin", "x1 * cos - x2 * sin + offset")
    parts = parts_of(scene("rotary", wrong))
    moved = next(part for part in parts if isinstance(part, Grid) and "begun" in part.header[0])
    assert all(float(row[1]) > 0.01 for row in moved.rows)
    assert all(float(row[2]) < 0.001 for row in moved.rows)


def test_the_formulas_are_those_of_the_course(course):
    """Against the references, which the page's own formulas know nothing of."""
    root = Path(__file__).resolve().parents[2]

    def entry(id: str, name: str):
        names: dict = {}
        exec((root / "solutions" / course.exercise(id).relative_path).read_text("utf-8"), names)
        return names[name]

    x = torch.randn(2, POSITION_HEADS, 40, 16, generator=torch.Generator().manual_seed(1))
    assert torch.allclose(turned(x, 7), entry("rotary", "apply_rotary")(x, offset=7), atol=1e-4)
    assert torch.allclose(sloped(40), entry("alibi_bias", "alibi_bias")(POSITION_HEADS, 40))
    assert torch.allclose(clocks(40, 64), entry("sinusoidal_positions", "sinusoidal_positions")(40, 64), atol=1e-4)
