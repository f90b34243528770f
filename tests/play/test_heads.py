"""What the page says of the model that reads letters, worked out again from the weights in the repository."""

from __future__ import annotations

import pytest
import torch

from grader.play.letters import best, measured
from grader.play.parts import Grid, Heat, Words, Written
from grader.play.scene import EXAMPLE, read_text

from .conftest import parts_of


def effects(parts):
    """Losses in stories and in repeats, by what is off."""
    (table,) = (part for part in parts if isinstance(part, Grid) and "How surprised" in part.title)
    return {name: (float(story), float(repeat)) for name, story, repeat in table.rows}


def test_one_head_looks_back_and_one_finds_what_followed(scene):
    reader = scene("multi_head_attention")
    back, found = measured(reader.right_weights)
    assert float(back.max()) > 0.45  # by chance it would be 0.1
    assert float(found.max()) > 0.55
    assert best(back)[0] == 0  # the second layer's heads build on the first's
    assert best(found)[0] == 1


def test_the_induction_head_looks_behind_the_same_letter(scene):
    """In "... zaru. zaru" the second z, a and r look at a, r and u of the first."""
    reader = scene("multi_head_attention")
    layer, head = best(measured(reader.right_weights)[1])
    weights = reader.right_weights(read_text(EXAMPLE))[layer, head]
    first, second = EXAMPLE.index("zaru"), EXAMPLE.rindex("zaru")
    for place in range(3):
        assert int(weights[second + place].argmax()) == first + place + 1


def test_table_tells_what_is_measured_by_the_formula(scene):
    reader = scene("multi_head_attention")
    (table,) = (part for part in parts_of(reader) if isinstance(part, Grid) and "How much each head" in part.title)
    back, found = measured(reader.right_weights)
    for (_, told_back, told_found), by_back, by_found in zip(table.rows, back.flatten(), found.flatten(), strict=True):
        assert abs(float(told_back) - float(by_back)) < 0.0051
        assert abs(float(told_found) - float(by_found)) < 0.0051


@pytest.mark.thorough
def test_each_part_that_is_off_costs(scene):
    losses = effects(parts_of(scene("multi_head_attention")))
    story, repeat = losses["all on"]
    assert story < 0.6
    assert repeat < 0.1
    for name, (story_off, repeat_off) in losses.items():
        if name != "all on":
            assert story_off > story + 0.05, name
            assert repeat_off > repeat + 0.1, name
    assert len(losses) == 6


@pytest.mark.thorough
def test_the_name_is_gone_on_with_and_not_without_the_head(scene):
    reader = scene("multi_head_attention")
    off = "head:{}.{}".format(*(number + 1 for number in best(measured(reader.right_weights)[1])))
    (written,) = (part for part in parts_of(reader, off=[off]) if isinstance(part, Written))
    (_, all_on), (_, without) = written.texts
    assert all_on.startswith("po ")  # ti-po, who was met in the first sentence
    assert not without.startswith("po ")


@pytest.mark.thorough
def test_the_three_classes_show_the_same(scene):
    shown = {id: parts_of(scene(id)) for id in ("causal_attention", "multi_head_wrapper", "multi_head_attention")}
    tables = [[part for part in parts if isinstance(part, (Grid, Written))] for parts in shown.values()]
    assert tables[0] == tables[1] == tables[2]


def test_right_code_is_shown_no_other_map_and_wrong_code_is(scene):
    right = parts_of(scene("multi_head_attention"))
    assert not any(isinstance(part, Words) and part.kind == "warning" for part in right)
    assert sum(isinstance(part, Heat) for part in right) == 2
    wrong = parts_of(scene("multi_head_attention", (" / self.head_dim**0.5", "")))
    assert any(isinstance(part, Heat) and "by the formula" in part.title for part in wrong)
    assert effects(wrong)["all on"][0] > effects(right)["all on"][0] + 0.2


def test_a_page_has_every_head(scene):
    maps = [part for part in parts_of(scene("causal_attention"), in_full=True) if isinstance(part, Heat)]
    assert len(maps) == 8
    for each in maps:
        weights = torch.tensor(each.values)
        assert torch.allclose(weights.sum(-1), torch.ones(len(EXAMPLE)), atol=1e-3)
        assert float(weights.triu(1).abs().max()) < 1e-4
