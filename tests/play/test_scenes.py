"""What the scenes show of right and of wrong code, worked out again from the weights in the repository."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
import torch

from grader.errors import KataError
from grader.play.catalogue import PLAYS, play_of
from grader.play.gaps import gap_loss
from grader.play.letters import measured
from grader.play.nets import POSITION_HEADS, clocks, right_places, sloped, turned
from grader.play.parts import Curve, Words, Written
from grader.play.positions import KINDS, losses_of, right_losses
from grader.play.scene import best
from grader.play.showing import SIGNS
from grader.play.translator import FIRST, FORMS, LAST, encode_date, written
from grader.played import Heat

from ..cases import rows
from .conftest import CASES

ROOT = Path(__file__).resolve().parents[2]
GUESSING = 3.26
"""The loss of who knows nothing, of 26 letters."""
HEADS = ("causal_attention", "multi_head_wrapper", "multi_head_attention")
PADDED = "padded_multi_head_attention"


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.id)
def test_every_play_is_an_exercise_and_each_of_its_switches_is_there(scene, course, play):
    assert course.exercise(play.id).id == play.id
    shown = scene(play.id)
    for switch in play.switches:
        going = shown.parts(play.example, ["head:1.1" if switch == "head" else switch], in_full=False)
        assert next(going)
        going.close()


@rows(CASES["refused_texts"], "id", "text")
def test_a_text_that_the_model_cannot_read_is_refused(scene, id, text):
    with pytest.raises(KataError):
        list(scene(id).parts(text, (), in_full=False))


# --- heads ------------------------------------------------------------------------------------------------------------


def losses(seen) -> dict[str, tuple[float, float]]:
    """In stories and in repeats, by what is off."""
    return {name: (float(story), float(repeat)) for name, (story, repeat) in seen.rows("How surprised").items()}


def test_one_head_looks_back_one_finds_what_followed_and_the_table_says_so(scene, seen):
    back, found = measured(scene(HEADS[2]).right_weights)
    assert float(back.max()) > 0.45  # by chance it would be 0.1
    assert float(found.max()) > 0.55
    assert (best(back)[0], best(found)[0]) == (0, 1)  # the second layer's heads build on the first's
    rows = seen(HEADS[2]).rows("How much each head").values()
    for told, measured_ in zip(rows, zip(back.flatten(), found.flatten(), strict=True), strict=True):
        assert [float(each) for each in told] == pytest.approx([float(each) for each in measured_], abs=0.0051)


@pytest.mark.thorough
def test_each_part_that_is_off_costs(seen):
    effects = losses(seen(HEADS[2]))
    story, repeat = effects.pop("all on")
    assert (story < 0.6, repeat < 0.1, len(effects)) == (True, True, 5)
    for name, (story_off, repeat_off) in effects.items():
        assert (story_off > story + 0.05, repeat_off > repeat + 0.1) == (True, True), name


def test_the_name_is_gone_on_with_and_not_without_the_head(scene, seen):
    layer, head = best(measured(scene(HEADS[2]).right_weights)[1])
    off = seen(HEADS[2], off=(f"head:{layer + 1}.{head + 1}",))
    (_, all_on), (_, without) = off.the(Written).texts
    assert all_on.startswith("sa a ")  # ro-sa, who was met in the first sentence
    assert not without.startswith("sa ")
    assert [part for part in off if isinstance(part, Heat)] == []  # whom each head looks at has not changed
    (said,) = [part.text for part in off if isinstance(part, Words) and "the same as with all on" in part.text]
    assert "Head 1." in said and "Head 2." in said and "still looks" in said
    assert seen(HEADS[2], off=("scale",)).the(Heat).before[0] == "all on"


def test_the_three_classes_show_the_same_and_a_page_every_head(seen):
    shown = [seen(id, in_full=True) for id in HEADS]
    assert len({tuple(part for part in parts if not isinstance(part, Heat)) for parts in shown}) == 1
    for parts in shown:
        maps = [torch.tensor(part.values) for part in parts if isinstance(part, Heat)]
        assert len(maps) == 8
        assert all(
            torch.allclose(weights.sum(-1), torch.ones(len(play_of(HEADS[0]).example)), atol=1e-3) for weights in maps
        )
        assert max(float(weights.triu(1).abs().max()) for weights in maps) < 1e-4


def test_numbers_that_are_none_are_told(seen):
    inverted = seen(HEADS[2], ("self.mask[:n, :n]", "~self.mask[:n, :n]"))
    assert any("nan, no number" in text for text in inverted.warnings)


def test_wrong_code_is_shown_beside_the_formula_and_right_code_alone(seen):
    right, wrong = seen(HEADS[2]), seen(HEADS[2], (" / self.head_dim**0.5", ""))
    assert right.warnings == [] and sum(isinstance(part, Heat) for part in right) == 2
    assert [part.before[0] for part in wrong if isinstance(part, Heat)] == ["by the formula"] * 2
    assert all(part.before is None for part in right if isinstance(part, Heat))
    assert losses(wrong)["all on"][0] > losses(right)["all on"][0] + 0.2


# --- gaps -------------------------------------------------------------------------------------------------------------


def test_with_the_right_mask_padding_changes_nothing_and_inverted_it_ruins_all(seen):
    parts = seen(PADDED)
    filled, loss = dict(parts.the(Written).texts), {name: float(row[0]) for name, row in parts.rows("How").items()}
    assert filled["alone"] == filled["padded, mask right"]
    assert loss["alone"] == loss["padded, mask right"] < 1.0
    assert loss["padded, no mask"] > loss["alone"] + 0.2
    assert loss["padded, mask inverted"] > loss["alone"] + 1.5
    right, inverted = parts.the(Heat), parts.the(Heat, 1)
    real = right.columns.index("-")
    assert right.columns[real:] == ("-",) * 10
    assert all(sum(row[real:]) < 1e-4 and abs(sum(row) - 1) < 1e-3 for row in right.values)
    assert all(sum(row[:real]) < 1e-4 and abs(sum(row) - 1) < 1e-3 for row in inverted.values)


def test_code_with_its_mask_inverted_is_seen_to_be(seen):
    rows = seen(PADDED, ("attention_mask[:, None, None, :] == 0", "attention_mask[:, None, None, :] != 0")).rows("How")
    assert float(rows["padded, mask right"][0]) > float(rows["padded, mask inverted"][0]) + 1.5


def test_another_average_is_another_loss(scene):
    converted = scene("convert_to_gqa", ("heads.mean(dim=1)", "heads[:, 0]"))
    whole, fewer = (
        gap_loss(converted.reads(converted.attend(shared))) - gap_loss(converted.reads(converted.right_attend(shared)))
        for shared in (8, 4)
    )
    assert whole == pytest.approx(0, abs=1e-4) and abs(fewer) > 0.01


# --- the scale --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["scaled_scores", "attention", "self_attention"])
def test_larger_scores_fall_on_one_letter_and_cost(seen, id):
    names, largest, loss, due = zip(*seen(id).table("The largest weight").rows, strict=True)
    tops, middle = [float(top) for top in largest], names.index("times 1")
    assert loss == due and tops == sorted(tops)
    assert tops[-1] > tops[middle] + 0.2
    assert float(loss[middle]) < 1.0
    assert float(loss[0]) > float(loss[middle]) + 0.5 and float(loss[-1]) > float(loss[middle]) + 0.3


def test_without_the_scale_is_times_the_root_of_the_width(seen):
    assert list(seen("self_attention", off=("scale",)).rows("The largest weight")) == ["times 1", "times 8"]
    right = seen("scaled_scores").rows("The largest weight")
    wrong = seen("scaled_scores", (" / query.shape[-1] ** 0.5", ""))
    assert wrong.rows("The largest weight")["times 1"][:2] == right["times 8"][:2]
    assert wrong.table("One row, step by step").header == ("key", "q·k", "/ 8", "softmax, yours", "by the formula", "")


@pytest.mark.parametrize("id", CASES["rows"])
def test_a_row_is_seen_from_scores_to_the_mix(seen, id):
    table, columns = seen(id).table("One row, step by step"), CASES["rows"][id]
    assert table.header == ("key", *columns, "")
    keys = [row for row in table.rows if row[0][0] == "'"]
    for row in keys:
        assert float(row[2]) == pytest.approx(float(row[1]) / float(columns[1][2:]), abs=0.02)
    weights = [float(row[columns.index("softmax, yours") + 1]) for row in table.rows if "mix" not in row[0]]
    assert sum(weights) == pytest.approx(1, abs=0.06)
    assert all(abs(len(row[-1]) - 12 * weight) < 1 for row, weight in zip(keys, weights, strict=False))
    assert (table.rows[-1][0] == "your mix") == ("value" in columns)


def test_letters_that_are_not_shown_weigh_what_the_learner_gave_them(seen):
    rows = seen("attention", (".softmax(dim=-1)", ".softmax(dim=-1) * 2")).rows("One row, step by step")
    (left,) = (float(row[2]) for name, row in rows.items() if name.endswith("others"))
    assert left > 0, "where a row sums to more than 1, they are not what is missing"


# --- a window and a cache ---------------------------------------------------------------------------------------------


def test_a_window_off_by_one_is_seen_on_the_map(seen):
    wide = "distance >= window", "distance > window"
    right, wrong = (seen("sliding_window_mask", *edits).the(Heat) for edits in ([], [wide]))
    assert [sum(row) for row in right.values][:6] == [1, 2, 3, 4, 4, 4]
    assert [sum(row) for row in wrong.values][:6] == [1, 2, 3, 4, 5, 5]


def test_the_text_is_the_same_with_the_cache_and_another_with_one_that_forgets(seen):
    forgets = "past_k, past_v = cache", "past_k, past_v = (each[:, :, :0] for each in cache)"
    right, wrong = seen("kv_cache"), seen("kv_cache", forgets)
    (_, without), (_, with_it) = right.the(Written).texts
    assert without == with_it and without.startswith("sa a ") and right.warnings == []
    assert [name for name, _ in right.the(Curve).lines] == ["without the cache", "with the cache"]
    (_, without), (_, with_it) = wrong.the(Written).texts
    assert without != with_it and wrong.warnings != []


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", KINDS)
def test_in_training_all_know_what_was_said_before_and_without_positions_none(seen, id):
    assert losses_of(KINDS[id], right_places(KINDS[id], 128, 64))[1] < 0.1
    shown, off = seen(id), seen(id, off=("positions",))
    weights = torch.tensor(shown.the(Heat).values)
    assert "looks one letter back most" in shown.the(Heat).title and shown.warnings == []
    assert float(weights.diagonal(-1).mean()) > 1.5 * float(weights.diagonal(-5).mean())
    assert torch.allclose(weights.sum(-1), torch.ones(len(weights)), atol=1e-3)
    assert min(dict(off.the(Curve).lines)["without positions"]) > 2
    (_, with_places), (name, without) = off.the(Written).texts
    assert name == "without positions" and with_places.startswith("sa ") and not without.startswith("sa ")


def test_losses_with_right_rotary_positions_are_those_of_the_formula(seen):
    assert dict(seen("rotary").the(Curve).lines)["yours: rotary"] == pytest.approx(right_losses("rotary"), abs=0.01)


@pytest.mark.parametrize("id", KINDS)
def test_wrong_places_are_shown_beside_the_formula(seen, id):
    parts = seen(id, tuple(CASES["places"][id]))
    assert any("should look like the one by the formula" in text for text in parts.warnings)
    lines = dict(parts.the(Curve).lines)
    assert len(lines) <= len(SIGNS), "each line is drawn; the template refuses more"
    yours = next(line for name, line in lines.items() if name.startswith("yours:"))
    formula = next(line for name, line in lines.items() if name.endswith("by the formula"))
    assert sum(yours[:2]) > sum(formula[:2])


def test_the_formulas_are_those_of_the_course(course):
    """Against the references, which the page's own formulas know nothing of."""

    def entry(id: str, name: str):
        names: dict = {}
        exec((ROOT / "solutions" / course.exercise(id).relative_path).read_text("utf-8"), names)
        return names[name]

    x = torch.randn(2, POSITION_HEADS, 40, 16, generator=torch.Generator().manual_seed(1))
    assert torch.allclose(turned(x), entry("rotary", "apply_rotary")(x), atol=1e-4)
    assert torch.allclose(sloped(40), entry("alibi_bias", "alibi_bias")(POSITION_HEADS, 40))
    assert torch.allclose(clocks(40, 64), entry("sinusoidal_positions", "sinusoidal_positions")(40, 64), atol=1e-4)


# --- the translator ---------------------------------------------------------------------------------------------------

EVERY = 37
"""Days from one date to the next: 1,974 of them, in each form."""


@pytest.mark.parametrize("form", FORMS)
def test_nearly_every_date_of_two_centuries_comes_out_right(scene, form):
    days = [FIRST + datetime.timedelta(days=n) for n in range(0, (LAST - FIRST).days, EVERY)]
    sources = torch.tensor([encode_date(written(day, form)) for day in days])
    translator = scene("cross_attention")
    came = translator.translated(sources, translator.right)
    assert sum(one == day.isoformat() for one, day in zip(came, days, strict=True)) >= 0.99 * len(days)


@rows(CASES["translators"], "old", "new")
def test_wrong_translators_are_shown_as_they_are(seen, old, new):
    parts = seen("cross_attention", (old, new))
    rows = parts.rows("Of 40 random dates")
    assert parts.warnings != [] and parts.the(Heat).before[0] == "by the formula"
    assert rows["your class"] != rows["by the formula"]


# --- a model that learns ----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_model_that_was_stopped_goes_on_where_it_was(scene, seen):
    stopped, text = scene("tiny_gpt"), play_of("tiny_gpt").example
    going = stopped.parts(text, (), in_full=False)
    begun = [next(going) for _ in range(4)]
    going.close()
    rest = list(stopped.parts(text, (), in_full=False))
    steps = [part.text.split()[1] for part in [*begun, *rest] if isinstance(part, Words) and part.kind == "line"]
    assert steps == [str(number) for number in range(0, 241, 20)]
    assert next(part for part in rest if isinstance(part, Curve)) == seen("tiny_gpt").the(Curve)


@pytest.mark.thorough
def test_a_model_without_attention_learns_less_and_is_told(seen):
    blind = seen("tiny_gpt", ("h = h + self.attend(self.norm_1(h))", "h = self.attend(self.norm_1(h)) * 0"))
    right, wrong = (parts.the(Curve).lines[0][1] for parts in (seen("tiny_gpt"), blind))
    assert right[0] > 2.5 and right[-1] < 0.6 and wrong[-1] > 1.5
