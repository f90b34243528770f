"""The worked numbers of the lesson on the transformer, computed anew, by the references where there is one."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import math
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch.testing import assert_close

ROOT = Path(__file__).resolve().parents[2]
UNIT = "07_transformer"
LESSON = (ROOT / "exercises" / UNIT / "README.md").read_text(encoding="utf-8").replace("\N{MINUS SIGN}", "-")
FOUR_DIGITS = {"atol": 5.1e-5, "rtol": 0.0}


@cache
def solution(name: str) -> ModuleType:
    file = ROOT / "solutions" / UNIT / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"solution_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbers(text: str) -> list[float]:
    """The numbers of a piece of the lesson, as it writes them: .5, -3, 12,704."""
    found = re.findall(r"-?(?:\d[\d,]*)?\.?\d+", text)
    return [float(each.replace(",", "")) for each in found]


def row(begin: str, *, within: str = "") -> list[list[float]]:
    """The numbers in each cell behind the first, of the table's row that begins so."""
    section = LESSON[LESSON.index(within) :].split("\n## ")[0] if within else LESSON
    [line] = re.findall(rf"^\| {re.escape(begin)} \|(.*)\|$", section, flags=re.MULTILINE)
    return [numbers(cell) for cell in line.split("|")]


def says(sentence: str) -> None:
    assert sentence in " ".join(LESSON.split())


def block(language: str) -> str:
    """The first one of the lesson; the others are run in test_snippets.py."""
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", LESSON, flags=re.MULTILINE | re.DOTALL)
    return found[0]


def test_the_experiment_prints_what_the_lesson_says() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "the lesson", "exec"), {})

    assert printed.getvalue() == block("text")
    alike, different = printed.getvalue().splitlines()
    halves = [line.removesuffix("]").split("] ") for line in (alike, different)]
    assert halves[0][0] == halves[0][1] and halves[1][0] != halves[1][1]


def test_the_places_of_the_experiment_are_those_of_the_exercise() -> None:
    namespace: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block("python"), "the lesson", "exec"), namespace)

    places = solution("02_sinusoidal_positions").sinusoidal_positions(3, 4)
    assert_close(namespace["PLACES"], places, atol=1e-4, rtol=0.0)


def test_what_stands_before_the_last_word_may_be_shuffled() -> None:
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(7))
    shuffled = torch.cat([x[[2, 0, 3, 1]], x[4:]])
    later = torch.ones(5, 5).triu(diagonal=1).bool()

    def last(text: torch.Tensor) -> torch.Tensor:
        return torch.softmax((text @ text.T).masked_fill(later, -torch.inf), dim=-1)[-1] @ text

    assert_close(last(x), last(shuffled))


def test_the_row_that_is_normed_by_hand() -> None:
    layer_norm, x = solution("01_layer_norm").layer_norm, torch.tensor([1.0, 1.0, 5.0, 5.0])
    weight, bias = torch.tensor([1.0, 2.0, 1.0, 2.0]), torch.tensor([0.0, 0.0, 10.0, 10.0])

    assert_close(layer_norm(x, torch.ones(4), torch.zeros(4)), torch.tensor(row("normed")[0]), **FOUR_DIGITS)
    [by_hand] = row("with weight 1, 2, 1, 2 and bias 0, 0, 10, 10")
    assert_close(layer_norm(x, weight, bias), torch.tensor(by_hand), **FOUR_DIGITS)
    wrong = row("the variance divided by d - 1 = 3 (what `x.var()` and `x.std()` do unasked)")[0][:4]
    assert_close((x - x.mean()) / x.std(), torch.tensor(wrong), atol=5e-4, rtol=0.0)


@pytest.mark.parametrize("place", range(4), ids=lambda place: f"place {place}")
def test_the_clocks_at_a_place(place: int) -> None:
    fast, slow = row(str(place), within="| place | sin, cos of clock 0")

    due = solution("02_sinusoidal_positions").sinusoidal_positions(4, 4)[place]
    assert_close(torch.tensor(fast + slow), due, atol=1e-4, rtol=0.0)


def test_products_of_places_equally_far_apart() -> None:
    says("rows 0 and 3 give cos 3 + cos .03 = .0096, and so do rows 10 and 13")

    table = solution("02_sinusoidal_positions").sinusoidal_positions(14, 4)
    for one, other in ((0, 3), (10, 13)):
        assert float(table[one] @ table[other]) == pytest.approx(0.0096, abs=5e-5)
    assert math.cos(3) + math.cos(0.03) == pytest.approx(0.0096, abs=5e-5)


@pytest.mark.parametrize("head", [1, 2], ids=["head 1", "head 2"])
def test_what_a_head_with_a_slope_sees(head: int) -> None:
    _, weights = row(str(head), within="| head | bias of the last row")
    says("2^(-4) = 1/16 and 2^(-8) = 1/256")

    last = solution("03_alibi_bias").alibi_bias(2, 4)[head - 1, -1]
    assert_close(last, -torch.tensor([3.0, 2.0, 1.0, 0.0]) / (16, 256)[head - 1])
    assert_close(torch.softmax(last, dim=-1), torch.tensor(weights), **FOUR_DIGITS)


def test_the_parameters_of_a_block() -> None:
    says("each of the four square layers has 32 · 32 + 32 = 1,056 parameters")
    says("32 · 128 + 128 + 128 · 32 + 32 = 8,352 and each norm 64. Together 4 · 1,056 + 8,352 + 128 = 12,704")
    made = solution("04_transformer_block").TransformerBlock(32, 4)

    def count(*names: str) -> int:
        return sum(each.numel() for name, each in made.named_parameters() if name.startswith(names))

    assert [count("q_proj"), count("mlp"), count("norm1"), count("")] == [1056, 8352, 64, 12704]
    assert count("mlp") / count("") == pytest.approx(2 / 3, abs=0.01)


def test_the_gelu_of_one() -> None:
    says("GELU(1) = .8413, GELU(-1) = -.1587")

    gelu = torch.nn.functional.gelu(torch.tensor([1.0, -1.0]))
    assert_close(gelu, torch.tensor([0.8413, -0.1587]), **FOUR_DIGITS)


@pytest.mark.parametrize(
    ("case", "wrong"),
    [
        ("right", None),
        ("offset forgotten", {"q": 0.0, "k": 0.0}),
        ("all keys turned after joining, old ones again", {"again": 1.0}),
    ],
    ids=["right", "offset forgotten", "turned again"],
)
def test_angles_with_a_cache(case: str, wrong: dict[str, float] | None) -> None:
    rotary = solution("05_decoder_attention").apply_rotary
    east = torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2)
    query = new = rotary(east[:, :, :1], offset=0 if wrong and "q" in wrong else 3)[0, 0, 0]
    old = rotary(east[:, :, :3])
    if wrong and "again" in wrong:
        old = rotary(old)
    angles = [math.atan2(float(each[1]), float(each[0])) for each in (query, new, old[0, 0, 1])]

    *shown, between = row(case)
    assert [cell[0] for cell in shown] == pytest.approx(angles, abs=1e-5)
    assert angles[0] - angles[2] == pytest.approx(between[2 if case == "right" else 0], abs=1e-5)


@pytest.mark.parametrize("query", [0, 1], ids=["query 0", "query 1"])
def test_two_queries_and_three_keys_in_blocks(query: int) -> None:
    inputs = torch.zeros(2, 2), torch.zeros(3, 2), torch.tensor([[1.0], [3.0], [8.0]])
    out, logsumexp = solution("06_flash_attention").flash_attention(*inputs, 1, 2, causal=True)

    place, _, shown, log = row(str(query), within="| query | its place")
    assert place == [query + 1]
    assert float(out[query]) == pytest.approx(shown[-1])
    assert float(logsumexp[query]) == pytest.approx(log[-1], abs=5e-5)


def test_what_a_cache_of_latents_holds() -> None:
    says("keys and values of all heads are 2 · 1,000 · 128 = 256,000 numbers")
    says("with two key/value heads 64,000; latents of width 32 are 32,000")
    attention = solution("07_latent_attention").LatentAttention(128, 8, 32)
    of_two_heads = solution("05_decoder_attention").DecoderAttention(128, 8, 2)

    with torch.no_grad():
        _, latents = attention(torch.zeros(1, 1000, 128))
        _, keys_and_values = of_two_heads(torch.zeros(1, 1000, 128))
    assert latents.numel() == 32_000
    assert sum(each.numel() for each in keys_and_values) == 64_000


def test_the_parameters_of_the_whole_model() -> None:
    says("12 · 32² + 13 · 32 = 12,704 parameters, as above, and the whole model 27,546")
    made = solution("08_tiny_gpt").TinyGPT(26, 32, 4, 2, 12)

    assert sum(each.numel() for each in made.parameters()) == 27_546
    assert sum(each.numel() for each in made.blocks[0].parameters()) == 12_704
    says("ln 26 = 3.26")
    says("ln 6 = 1.79")
    assert (round(math.log(26), 2), round(math.log(6), 2)) == (3.26, 1.79)
