"""What the lessons' last sections say of `kata play` is what is seen there, in the order in which they say it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from grader.play.catalogue import PLAYS, play_of
from grader.play.parts import Curve, Written
from grader.played import Heat

from .conftest import Seen

ROOT = Path(__file__).resolve().parents[2]
LESSONS = {path.parent.name: path for path in sorted((ROOT / "exercises").glob("*/README.md"))}
COMMAND = re.compile(r"^    kata play (\w+)(.*)$", re.MULTILINE)
GUESSING = 3.26
"""The loss of who knows nothing, of 26 letters."""


def section_of(unit: str) -> str:
    return LESSONS[unit].read_text("utf-8").partition("## Try this")[2]


@pytest.fixture
def typed(seen) -> Callable[[str], list[Seen]]:
    """What the commands of a unit's lesson show, in order."""

    def play(unit: str) -> list[Seen]:
        shown = []
        for id, options in COMMAND.findall(section_of(unit)):
            words = shlex.split(options)
            given = list(zip(words[::2], words[1::2], strict=True))
            off = tuple(value for name, value in given if name == "--without")
            (text,) = [value for name, value in given if name == "--text"] or [""]
            assert {name for name, _ in given} <= {"--without", "--text"}
            shown.append(seen(id, off=off, text=text))
            assert off or shown[-1].warnings == []
        return shown

    return play


@pytest.mark.parametrize("unit", LESSONS)
def test_each_unit_ends_with_two_or_three_questions_to_play(unit: str, course) -> None:
    section = section_of(unit)
    ids = [id for id, _ in COMMAND.findall(section)]
    assert 2 <= len(ids) <= 4
    assert section.partition("And in a model.")[2].count("?") >= 2
    (in_unit,) = ({exercise.id for exercise in each.exercises} for each in course.units if each.folder == unit)
    assert set(ids) <= in_unit & {play.id for play in PLAYS}


def looks_at(heat: Heat, row: int) -> int:
    return max(range(len(heat.columns)), key=heat.values[row].__getitem__)


def surprise(parts: Seen, name: str) -> list[float]:
    """The loss in stories and in random letters, repeated; of padded sentences one."""
    return [float(each) for each in parts.rows("How surprised")[name]]


def test_unit_1_sharp_weights_guess_no_better(typed) -> None:
    sizes, unscaled = typed("01_soft_lookup")
    tops = [max(row) for row in sizes.the(Heat).values]
    assert tops == sorted(tops) and tops[0] < 0.25
    assert min(tops[-2:]) > 0.9  # the lower rows look at one letter
    losses = [float(row[1]) for row in sizes.rows("The largest weight").values()]
    assert losses == sorted(losses[:3], reverse=True) + sorted(losses[3:])  # least in the middle, as it was trained
    guesses = dict(unscaled.the(Written).texts)
    assert NAME in guesses["times 1"] and NAME not in guesses["times 8"]


def test_unit_2_without_scale_one_place_gets_all_and_dates_are_followed(typed) -> None:
    unscaled, in_order, turned = typed("02_self_attention")
    assert max(unscaled.the(Heat).values[1]) > 0.9
    guesses = dict(unscaled.the(Written).texts)
    assert sum(a != b for a, b in zip(guesses["times 1"], guesses["times 8"], strict=True)) == 2
    for parts, text in ((in_order, "3 may 2024"), (turned, "may 3, 2024")):
        heat = parts.the(Heat)
        assert dict(parts.the(Written).texts)["your class"] == "2024-05-03"
        assert looks_at(heat, 9) == text.index("3")
        assert text.index("may") <= looks_at(heat, 6) < text.index("may") + 3


def test_unit_3_without_mask_it_is_worse_than_guessing_and_the_name_is_found(typed) -> None:
    unmasked, named = typed("03_masks_and_dropout")
    assert min(surprise(unmasked, "without mask")) > GUESSING
    assert max(surprise(unmasked, "all on")) < 1
    heat, text = named.the(Heat, 1), "mila met bo. mila saw mi"
    for place, letter in enumerate("mil"):
        assert looks_at(heat, text.rindex("mila") + place) == place + 1
        assert heat.rows[text.rindex("mila") + place] == letter


def test_unit_4_the_second_layers_head_needs_those_that_look_back(typed, seen) -> None:
    no_finder, no_backward, padded = typed("04_multi_head")
    finder, one = surprise(no_finder, "without head 2.3")[1], surprise(no_finder, "without head 1.2")[1]
    assert one < 0.3 < finder < surprise(no_backward, "without head 1.2, head 1.3")[1]
    back = seen("multi_head_attention").rows("How much each head")
    assert float(back["head 1.2"][0]) > float(back["head 1.3"][0]) > 0.3
    inverted, without, right = (surprise(padded, f"padded, {each}")[0] for each in MASKS)
    assert inverted > 2 * without > 2 * right


NAME = "luka lost"
MASKS = ("mask inverted", "no mask", "mask right")


def test_unit_5_the_first_two_steps_cost_most(typed) -> None:
    converted, grouped = typed("05_grouped_query")
    rows = list(converted.rows("Loss").values())
    losses, trained, sizes = ([float(row[column]) for row in rows] for column in (0, 2, 3))
    assert all(after < before - 1 for before, after in zip(losses[1:], trained[1:], strict=True))
    steps = [after - before for before, after in pairwise(losses)]
    assert 0 < steps[2] < min(steps[:2])
    assert losses[0] < 1 and losses[2] > GUESSING
    assert [row[0] for row in rows] == [row[1] for row in rows], "as by the formula"
    assert sizes == [500.0, 250.0, 125.0, 62.5] and converted.the(Curve, 1).lines[0][1] == (62.5, 125.0, 250.0, 500.0)
    assert ["rosa a" in text for _, text in grouped.the(Written).texts] == [True, False, False, False]
    assert [row[:2] for row in grouped.rows("Loss").values()] == [row[:2] for row in rows]


def test_unit_6_beyond_training_and_through_a_window(typed) -> None:
    turned, window = typed("06_beyond")
    lines = dict(turned.the(Curve).lines)
    mine, slow = lines["yours: rotary"], lines["yours, base 1,000,000"]
    assert max(mine[:2]) < 0.2  # up to letter 32, as in training
    assert mine[2] > mine[1] and max(mine) > GUESSING and max(slow) < 0.5
    curve = window.the(Curve)
    for (_, losses), period in zip(curve.lines, (6, 14, 28), strict=True):
        known = dict(zip(curve.places, losses, strict=True))
        assert period < min(width for width, loss in known.items() if loss < 0.5) <= period + 6
        assert all(loss < 0.5 or loss > GUESSING for loss in known.values())


@pytest.mark.thorough
def test_unit_7_slopes_read_on_and_a_model_learns_letters_first(typed) -> None:
    slopes, sines, nowhere, rhyme = typed("07_transformer")
    lines = dict(slopes.the(Curve).lines)
    assert max(lines["yours: ALiBi"]) < 0.2 and lines["rotary"][-1] > GUESSING
    assert dict(sines.the(Curve).lines)["yours: sines added"][-1] > 2
    assert min(dict(nowhere.the(Curve).lines)["without positions"]) > 2
    (_, first), (_, middle), (_, last) = rhyme.the(Written, -1).texts
    known = set(re.findall(r"\w+", play_of("tiny_gpt").example))

    def share(text: str) -> float:
        words = re.findall(r"\w+", text)[:-1]
        return sum(word in known for word in words) / len(words)

    assert share(first) < share(middle) <= share(last)
    assert share(last) > 0.7 and " " in middle.strip()
