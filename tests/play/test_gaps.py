"""What the pages say of the models that guess hidden letters, worked out again from the weights in the repository."""

from __future__ import annotations

import pytest

from grader.play.catalogue import BadText
from grader.play.parts import Curve, Grid, Heat, Written

from .conftest import parts_of, table_of, the

PADDED = "padded_multi_head_attention"


# --- padding ----------------------------------------------------------------------------------------------------------


def test_with_the_right_mask_padding_changes_nothing_and_inverted_it_ruins_all(scene):
    parts = parts_of(scene(PADDED))
    texts, losses = dict(the(Written, parts).texts), {name: float(loss) for name, loss in the(Grid, parts).rows}
    assert texts["alone"] == texts["padded, mask right"]
    assert losses["alone"] == losses["padded, mask right"] < 1.0
    assert losses["padded, no mask"] > losses["alone"] + 0.2
    assert losses["padded, mask inverted"] > losses["alone"] + 1.5


def test_maps_show_who_sees_the_padding(scene):
    right, inverted = (part for part in parts_of(scene(PADDED)) if isinstance(part, Heat))
    real = len(scene(PADDED).example)
    assert right.columns[real:] == ("-",) * 10
    assert all(sum(row[real:]) < 1e-4 and abs(sum(row) - 1) < 1e-3 for row in right.values)
    assert all(sum(row[:real]) < 1e-4 and abs(sum(row) - 1) < 1e-3 for row in inverted.values)


def test_code_with_its_mask_inverted_is_seen_to_be(scene):
    wrong = parts_of(scene(PADDED, ("attention_mask[:, None, None, :] == 0", "attention_mask[:, None, None, :] != 0")))
    losses = {name: float(loss) for name, loss in the(Grid, wrong).rows}
    assert losses["padded, mask right"] > losses["padded, mask inverted"] + 1.5


# --- shared heads -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["grouped_query_attention", "convert_to_gqa"])
def test_fewer_heads_cost_and_save(scene, id):
    parts = parts_of(scene(id))
    heads, losses, due, *trained, sizes = zip(*the(Grid, parts).rows, strict=True)
    assert heads == ("8", "4", "2", "1")
    assert losses == due
    assert bool(trained) == (id == "convert_to_gqa")
    assert float(losses[0]) < 1.0
    assert all(float(few) > float(losses[0]) + 0.3 for few in losses[1:])
    assert [float(size) for size in sizes] == [500.0, 250.0, 125.0, 62.5]
    loss, size = (part for part in parts if isinstance(part, Curve))
    assert loss.places == size.places == (1.0, 2.0, 4.0, 8.0)
    assert size.lines[0][1] == (62.5, 125.0, 250.0, 500.0)


def test_another_average_is_another_loss(scene):
    first = parts_of(scene("convert_to_gqa", source=FIRST_OF_GROUP))
    rows = the(Grid, first).rows
    assert rows[0][1] == rows[0][2]
    assert any(row[1] != row[2] for row in rows[1:])


FIRST_OF_GROUP = """\
def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    times = nums_head // nums_key_value_head
    made = dict(state_dict)
    for name in ("k_proj.weight", "v_proj.weight", "k_proj.bias", "v_proj.bias"):
        heads = state_dict[name].unflatten(0, (nums_head, -1))
        made[name] = heads[::times].flatten(0, 1)
    return made
"""


# --- the scale --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["scaled_scores", "attention", "self_attention"])
def test_larger_scores_fall_on_one_letter_and_cost(scene, id):
    grid = table_of(parts_of(scene(id)), "The largest weight")
    names, largest, losses, due = zip(*grid.rows, strict=True)
    assert losses == due
    tops = [float(top) for top in largest]
    assert tops == sorted(tops)
    assert tops[-1] > tops[names.index("times 1")] + 0.2
    best = float(losses[names.index("times 1")])
    assert best < 1.0
    assert float(losses[0]) > best + 0.5
    assert float(losses[-1]) > best + 0.3


def test_without_the_scale_is_times_the_root_of_the_width(scene):
    off = table_of(parts_of(scene("self_attention"), off=["scale"]), "The largest weight")
    assert [row[0] for row in off.rows] == ["times 1", "times 8"]


def test_code_without_the_scale_is_at_one_where_right_code_is_at_eight(scene):
    shown = (scene("scaled_scores"), scene("scaled_scores", (" / query.shape[-1] ** 0.5", "")))
    right, wrong = ({row[0]: row[1:3] for row in table_of(parts_of(each), "The largest weight").rows} for each in shown)
    assert wrong["times 1"] == right["times 8"]


@pytest.mark.parametrize("text", ["no gap", "_", "tipo 3_", "_" * 60])
def test_what_cannot_be_read_is_refused(scene, text):
    with pytest.raises(BadText):
        parts_of(scene(PADDED), text)


# --- one row, step by step ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "columns"),
    [
        ("softmax", ("q·k", "/ 8", "softmax, yours")),
        ("attention", ("q·k", "/ 8", "softmax, yours", "value")),
        ("self_attention", ("q·k", "/ 8", "softmax, yours", "value")),
        ("causal_attention", ("q·k", "/ 4", "masked", "softmax, yours", "value")),
        ("multi_head_attention", ("q·k", "/ 4", "masked", "softmax, yours", "value")),
    ],
)
def test_a_row_is_seen_from_scores_to_the_mix(scene, id, columns):
    table = table_of(parts_of(scene(id)), "One row, step by step")
    assert table.header == ("key", *columns, "")
    keys = [row for row in table.rows if row[0][0] == "'"]
    for row in keys:
        product, scaled = float(row[1]), float(row[2])
        assert scaled == pytest.approx(product / float(columns[1][2:]), abs=0.02)
    weights = [float(row[columns.index("softmax, yours") + 1]) for row in table.rows if "mix" not in row[0]]
    assert sum(weights) == pytest.approx(1, abs=0.06)
    assert all(abs(len(row[-1]) - 20 * weight) < 1 for row, weight in zip(keys, weights, strict=False))
    assert (table.rows[-1][0] == "your mix") == ("value" in columns)


def test_a_row_of_wrong_code_stands_beside_the_formulas(scene):
    table = table_of(parts_of(scene("scaled_scores", (" / query.shape[-1] ** 0.5", ""))), "One row, step by step")
    assert table.header == ("key", "q·k", "/ 8", "softmax, yours", "by the formula", "")
