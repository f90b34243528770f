"""What the lessons' last sections say of `kata play` is what is seen there, in the order in which they say it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from grader.play.catalogue import PLAYS, play_of
from grader.play.parts import Curve, Grid, Heat, Part, Words, Written

ROOT = Path(__file__).resolve().parents[2]
LESSONS = {path.parent.name: path for path in sorted((ROOT / "exercises").glob("*/README.md"))}
COMMAND = re.compile(r"^    kata play (\w+)(.*)$", re.MULTILINE)
TRY = "## Try this"
GUESSING = 3.26
"""The loss of who knows nothing, of 26 letters."""

Parts = list[Part]


def commands_of(unit: str) -> list[tuple[str, tuple[str, ...]]]:
    """The exercise and the other words of each command."""
    _, _, section = LESSONS[unit].read_text("utf-8").partition(TRY)
    return [(id, tuple(shlex.split(words))) for id, words in COMMAND.findall(section)]


def the(kind: type, parts: Parts, number: int = 0):
    return [part for part in parts if isinstance(part, kind)][number]


def row_of(parts: Parts, title: str) -> dict[str, tuple[str, ...]]:
    """The rows of the table whose title begins so, by their names."""
    (table,) = (part for part in parts if isinstance(part, Grid) and part.title.startswith(title))
    return {row[0]: row[1:] for row in table.rows}


def surprise(parts: Parts, name: str) -> tuple[float, float]:
    """The loss in stories and in random letters, repeated."""
    stories, twice = row_of(parts, "How surprised")[name]
    return float(stories), float(twice)


def looks_at(heat: Heat, row: int) -> int:
    return max(range(len(heat.columns)), key=heat.values[row].__getitem__)


@pytest.fixture
def seen(scene) -> Callable[[str], list[Parts]]:
    """What the commands of a unit's lesson show, in order."""

    def play(unit: str) -> list[Parts]:
        shown = []
        for id, words in commands_of(unit):
            options = list(zip(words[::2], words[1::2], strict=True))
            off = [value for name, value in options if name == "--without"]
            texts = [value for name, value in options if name == "--text"]
            assert {name for name, _ in options} <= {"--without", "--text"}
            played = scene(id)
            shown.append(list(played.parts((texts or [played.example])[0], off, in_full=False)))
            if not off:
                assert [part.text for part in shown[-1] if isinstance(part, Words) and part.kind == "warning"] == []
        return shown

    return play


@pytest.mark.parametrize("unit", LESSONS)
def test_each_unit_ends_with_two_or_three_questions_to_play(unit: str, course) -> None:
    commands = commands_of(unit)
    _, _, section = LESSONS[unit].read_text("utf-8").partition(TRY)
    asked = section.partition("And in a model.")[2]
    assert 2 <= len(commands) <= 4
    assert asked.count("?") >= 2
    in_unit = {each.id for each in next(each for each in course.units if each.folder == unit).exercises}
    assert {id for id, _ in commands} <= in_unit & {play.id for play in PLAYS}
    assert all(play_of(id) for id, _ in commands)


def test_unit_1_sharp_weights_guess_no_better(seen) -> None:
    sizes, unscaled = seen("01_soft_lookup")
    heat = the(Heat, sizes)
    tops = [max(row) for row in heat.values]
    assert tops == sorted(tops)
    assert tops[0] < 0.2
    assert min(tops[-2:]) > 0.9  # the lower rows look at one letter
    losses = [float(row[1]) for row in row_of(sizes, "The largest weight").values()]
    assert min(losses) == losses[2]  # the size in the middle, as it was trained
    assert losses == sorted(losses[:3], reverse=True) + sorted(losses[3:])
    guesses = dict(the(Written, unscaled).texts)
    assert "koba lost" in guesses["times 1"]
    assert "koba lost" not in guesses["times 8"]


def test_unit_2_without_scale_one_place_gets_all_and_dates_are_followed(seen) -> None:
    unscaled, in_order, turned = seen("02_self_attention")
    assert max(the(Heat, unscaled).values[1]) > 0.9
    guesses = dict(the(Written, unscaled).texts)
    assert sum(a != b for a, b in zip(guesses["times 1"], guesses["times 8"], strict=True)) == 2
    for parts, text in ((in_order, "3 may 2024"), (turned, "may 3, 2024")):
        heat = the(Heat, parts)
        assert dict(the(Written, parts).texts)["your class"] == "2024-05-03"
        assert looks_at(heat, 9) == text.index("3")
        assert text.index("may") <= looks_at(heat, 6) < text.index("may") + 3


@pytest.mark.thorough
def test_unit_3_without_mask_it_is_worse_than_guessing_and_the_name_is_found(seen) -> None:
    unmasked, named = seen("03_masks_and_dropout")
    assert min(surprise(unmasked, "without mask")) > GUESSING
    assert max(surprise(unmasked, "all on")) < 1
    heat = the(Heat, named, 1)
    text = "mila met bo. mila saw mi"
    for place, letter in enumerate("mil"):
        assert looks_at(heat, text.rindex("mila") + place) == place + 1
        assert heat.rows[text.rindex("mila") + place] == letter


def test_unit_4_the_second_layers_head_needs_those_that_look_back(seen, scene) -> None:
    no_finder, no_backward, padded = seen("04_multi_head")
    finder = surprise(no_finder, "without head 2.3")[1]
    one = surprise(no_finder, "without head 1.2")[1]
    both = surprise(no_backward, "without head 1.2, head 1.3")[1]
    assert one < 0.3 < finder < both
    plain = scene("multi_head_attention")
    back = row_of(list(plain.parts(plain.example, (), in_full=False)), "How much each head")
    assert float(back["head 1.2"][0]) > float(back["head 1.3"][0]) > 0.3
    losses = {name: float(row[0]) for name, row in row_of(padded, "How surprised").items()}
    assert losses["padded, mask inverted"] > 2 * losses["padded, no mask"] > 2 * losses["padded, mask right"]


def test_unit_5_the_first_step_costs_most_and_saves_most(seen) -> None:
    converted, grouped = seen("05_grouped_query")
    rows = list(row_of(converted, "Loss").values())
    losses, sizes = [float(row[0]) for row in rows], [float(row[-1]) for row in rows]
    trained = [float(row[2]) for row in rows]
    assert all(after < before - 1 for before, after in zip(losses[1:], trained[1:], strict=True))
    steps = [after - before for before, after in pairwise(losses)]
    assert steps == sorted(steps, reverse=True)
    assert min(steps) > 0
    assert losses[2] > GUESSING
    assert all(before == 2 * after for before, after in pairwise(sizes))
    assert ["rado a" in text for _, text in the(Written, grouped).texts] == [True, False, False, False]
    assert [row[:2] for row in row_of(grouped, "Loss").values()] == [row[:2] for row in rows]


def test_unit_6_beyond_training_and_through_a_window(seen) -> None:
    turned, window = seen("06_beyond")
    lines = dict(the(Curve, turned).lines)
    mine, slow = lines["yours: rotary"], lines["yours, base 1,000,000"]
    assert max(mine[:2]) < 0.2  # up to letter 32, as in training
    assert mine[2] > mine[1]
    assert max(mine) > GUESSING
    assert max(slow) < 0.5
    table = the(Grid, window)
    for column, period in enumerate((6, 14, 28), start=1):
        known = {int(row[0]): float(row[column]) for row in table.rows}
        least = min(width for width, loss in known.items() if loss < 0.5)
        assert period < least <= period + 6
        assert all(loss < 0.5 or loss > GUESSING for loss in known.values())


@pytest.mark.thorough
def test_unit_7_slopes_read_on_and_a_model_learns_letters_first(seen) -> None:
    slopes, sines, nowhere, rhyme = seen("07_transformer")
    assert max(dict(the(Curve, slopes).lines)["yours: ALiBi"]) < 0.2
    assert dict(the(Curve, slopes).lines)["rotary"][-1] > GUESSING
    assert dict(the(Curve, sines).lines)["yours: sines added"][-1] > 2
    assert min(dict(the(Curve, nowhere).lines)["yours: ALiBi"]) > 2
    (_, first), (_, middle), (_, last) = the(Written, rhyme, -1).texts
    whole = set(re.findall(r"\w+", ROOT.joinpath("grader/play/writer.py").read_text("utf-8").lower()))

    def share(text: str) -> float:
        words = re.findall(r"\w+", text)[:-1]
        return sum(word in whole for word in words) / len(words)

    assert share(first) < share(middle) <= share(last)
    assert " " in middle.strip()
