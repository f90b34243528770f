"""The numbers in the lesson of unit 5 are what torch gives today."""

from __future__ import annotations

import pytest
import torch
from reading import Recomputed, Said, counted
from torch import nn

LESSON = Recomputed("05_grouped_query")

WIDTH, HEADS = 128, 8
HEAD_DIM = WIDTH // HEADS
GIB = 2**30


def numbers_in(out: int) -> int:
    """The numbers of a layer from the document's width to `out`."""
    return sum(parameter.numel() for parameter in nn.Linear(WIDTH, out).parameters())


def together(kv: int) -> int:
    return 2 * numbers_in(WIDTH) + 2 * numbers_in(kv * HEAD_DIM)


def cache(kv: int) -> int:
    """The bytes of 1000 tokens in one layer, as tensors of half precision lie in memory."""
    keys = torch.zeros(1, kv, 1000, HEAD_DIM, dtype=torch.float16)
    return 2 * keys.numel() * keys.element_size()


@LESSON.section("")
def opening(said: Said) -> None:
    said("32 layers and 32 heads of width 128, and a text of 4,096 tokens")
    bytes_kept = 2 * 32 * 32 * 128 * 4096 * 2
    said(f"{bytes_kept // GIB} GiB for a single text and {8 * bytes_kept // GIB} GiB for eight")
    assert bytes_kept % GIB == 0
    said("Shazeer 2019", "Ainslie and others 2023")  # years of the papers


@LESSON.section("02")
def grouped_query_attention(said: Said) -> None:
    said(f"hidden_dim = {WIDTH} and h = {HEADS}, so head_dim = {HEAD_DIM}")
    q = numbers_in(WIDTH)
    said(
        f"| 8 (MHA) | {WIDTH} · {WIDTH} + {WIDTH} = {counted(q)} | {counted(q)} | {counted(q)} | {counted(q)} | {counted(together(8))} |"
    )
    for kv, name in ((4, "GQA"), (1, "MQA")):
        out = kv * HEAD_DIM
        k = counted(numbers_in(out))
        said(
            f"| {kv} ({name}) | {counted(q)} | {WIDTH} · {out} + {out} = {k} | {k} | {counted(q)} | {counted(together(kv))} |"
        )
    assert (cache(4) * 2, cache(1) * 8) == (cache(8), cache(8)), "to a half for kv = 4, to an eighth for kv = 1"


@LESSON.section("03")
def convert_to_gqa(said: Said) -> None:
    biases = torch.tensor([1.0, 3.0, 5.0, 9.0])
    pairs = biases.view(2, 2)
    for how, result in (
        ("neighbours averaged", pairs.mean(1)),
        ("heads 0 and 2, 1 and 3 averaged", pairs.mean(0)),
        ("the first of each group kept", pairs[:, 0]),
        ("added up", pairs.sum(1)),
    ):
        said(f"| {how} | {' '.join(f'{number:.0f}' for number in result)} |")
    said("Ainslie and others, 2023")
    rows = torch.arange(WIDTH).view(2, 4, HEAD_DIM)[0, :, 0].tolist()
    said(
        f"For the document's {WIDTH} columns and {HEADS} heads a head is {HEAD_DIM} rows; to make 2 heads of the 8, row {rows[0]} is averaged with the rows {rows[1]}, {rows[2]} and {rows[3]}"
    )
    out = 2 * HEAD_DIM
    said(f"goes from ({WIDTH}, {WIDTH}) to ({out}, {WIDTH})", f"from {counted(together(8))} numbers to")
    said(f"2 · {counted(numbers_in(WIDTH))} + 2 · ({out} · {WIDTH} + {out}) = {counted(together(2))}")


@LESSON.section("04")
def kv_cache_bytes(said: Said) -> None:
    said(f"hidden_dim = {WIDTH} and {HEADS} query heads, so head_dim = {HEAD_DIM}; one sequence of 1000 tokens")
    for kv, name in ((8, "MHA"), (4, "GQA"), (1, "MQA")):
        said(f"| {kv} ({name}) | {counted(cache(kv))} |")
    for dtype, size in ((torch.float16, 2), (torch.bfloat16, 2), (torch.float32, 4)):
        assert torch.zeros(1, dtype=dtype).element_size() == size
    said(f"{counted(together(8))} numbers for MHA, take {counted(2 * together(8))} bytes")
    said(f"({counted(together(1))} numbers, {counted(2 * together(1))} bytes)")
    assert 3.5 < cache(8) / (2 * together(8)) < 4, "nearly four times"
    assert cache(1) < 2 * together(1)


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)
