from __future__ import annotations

from pathlib import Path

import pytest

from grader.results import Record

GOLDEN = Path(__file__).parents[1] / "results" / "golden"

TITLES = {
    "softmax": "Softmax by hand",
    "scaled_scores": "Scores divided by √d",
    "debug_attn_weights": "Repair: weights used before they exist",
    "causal_mask": "Causal mask",
    "masked_softmax": "Softmax under a mask",
    "split_heads": "Split into heads",
}
UNITS = [
    ("1. Soft lookup", ["softmax"]),
    ("2. Self-attention", ["scaled_scores", "debug_attn_weights"]),
    ("3. Masks and dropout", ["causal_mask", "masked_softmax"]),
    ("4. Heads", ["split_heads"]),
]


def golden_record(name: str) -> Record:
    return Record.from_json((GOLDEN / f"{name}.json").read_text("utf-8"))


@pytest.fixture
def titles() -> dict[str, str]:
    return TITLES


@pytest.fixture
def units() -> list[tuple[str, list[str]]]:
    return UNITS


@pytest.fixture
def all_passed() -> Record:
    return golden_record("all_passed")


@pytest.fixture
def half_done() -> Record:
    return golden_record("half_done")


@pytest.fixture
def hostile() -> Record:
    return golden_record("hostile_text")


@pytest.fixture
def not_graded() -> Record:
    return golden_record("not_graded")


@pytest.fixture
def class_records(all_passed: Record, half_done: Record, hostile: Record, not_graded: Record) -> list[Record]:
    return [all_passed, half_done, hostile, not_graded]
