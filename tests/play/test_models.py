"""The models as they lie in the repository: small, made by the script, and each scene runs with them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import torch

from grader.play import nets
from grader.play.catalogue import PLAYS
from grader.play.parts import Words
from grader.play.showing import render_play

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 2 * 1024 * 1024
NAMES = ("letters", "gaps_1", "gaps_8", "dates", "rotary", "alibi", "sinusoidal")


def some_thorough(cases, every: int):
    """Each of these, most of them in the thorough tests only."""
    return [pytest.param(case, marks=pytest.mark.thorough if n % every else ()) for n, case in enumerate(cases)]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/train_play.py."""
    spec = importlib.util.spec_from_file_location("train_play", ROOT / "scripts" / "train_play.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_models_together_are_small_and_the_script_makes_each(script):
    files = list(nets.WEIGHTS.iterdir())
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    assert {path.stem for path in files} == set(script.MODELS) == set(NAMES)


@pytest.mark.parametrize("name", some_thorough(NAMES, len(NAMES)))
def test_the_script_makes_these_numbers_and_the_same_each_time(script, monkeypatch, name):
    for steps in ("LETTERS_STEPS", "GAPS_STEPS", "DATES_STEPS", "PLACES_STEPS"):
        monkeypatch.setattr(script, steps, 2)
    first, second = script.MODELS[name](), script.MODELS[name]()
    kept = nets.load(name)
    assert {key: tensor.shape for key, tensor in first.items()} == {key: tensor.shape for key, tensor in kept.items()}
    assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("play", some_thorough(PLAYS, 4))
def test_every_scene_plays_its_example_with_right_code_and_nothing_is_amiss(seen, play):
    parts = seen(play.id, in_full=True)
    assert parts.warnings == []
    page = render_play("A title", Words("It stands"), play.seen, parts)
    assert not re.search(r"\bnan\b", page)
    assert len(page) < 300_000
