"""The models as they lie in the repository: small, made by the script, and each scene runs with them."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from grader.play import nets
from grader.play.catalogue import PLAYS
from grader.play.parts import Words
from grader.play.scene_page import render_play

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 2 * 1024 * 1024


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/train_play.py."""
    spec = importlib.util.spec_from_file_location("train_play", ROOT / "scripts" / "train_play.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_play"] = module
    spec.loader.exec_module(module)
    return module


def test_all_models_together_are_small_and_the_script_makes_each(script):
    files = list(nets.WEIGHTS.iterdir())
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    assert {path.name for path in files} == {f"{name}.safetensors" for name in script.MODELS}


OTHERS = [
    pytest.param(name, marks=pytest.mark.thorough)
    for name in ("gaps_1", "gaps_8", "dates", "rotary", "alibi", "sinusoidal")
]


@pytest.mark.parametrize("name", ["letters", *OTHERS])
def test_the_script_makes_these_numbers_and_the_same_each_time(script, monkeypatch, name):
    for steps in ("LETTERS_STEPS", "GAPS_STEPS", "DATES_STEPS", "PLACES_STEPS"):
        monkeypatch.setattr(script, steps, 2)
    first, second = script.MODELS[name](), script.MODELS[name]()
    kept = nets.load(name)
    assert {key: tensor.shape for key, tensor in first.items()} == {key: tensor.shape for key, tensor in kept.items()}
    assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize(
    "play",
    [
        pytest.param(play, id=play.id, marks=pytest.mark.thorough if number % 4 else ())
        for number, play in enumerate(PLAYS)
    ],
)
def test_every_scene_plays_its_example_with_right_code_and_nothing_is_amiss(scene, play):
    shown = scene(play.id)
    parts = list(shown.parts(shown.example, (), in_full=True))
    assert [part.text for part in parts if isinstance(part, Words) and part.kind == "warning"] == []
    page = render_play("A title", "It stands", play.seen, parts, is_warning=False)
    assert not re.search(r"\bnan\b", page)


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.id)
def test_every_play_is_an_exercise_of_the_course_and_its_switches_are_there(scene, course, play):
    assert course.exercise(play.id).id == play.id
    shown = scene(play.id)
    for switch in play.switches:
        off = "head:1.1" if switch == "head" else switch
        going = shown.parts(shown.example, [off], in_full=False)
        assert next(going)
        going.close()
