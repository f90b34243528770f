"""The reference solutions agree with torch's own attention, which is written by other people in other ways."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.testing import assert_close

from tests.cases import rows, table

SOLUTIONS = Path(__file__).parents[2] / "solutions"
fused = F.scaled_dot_product_attention

pytestmark = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])

SHAPES = table(__file__, "shapes.yml")
GROUPS = rows(SHAPES["groups"], "batch", "tokens", "head_dim", "heads", "kv")


@cache
def solution(path: str) -> Any:
    """What the file of a reference defines."""
    return SimpleNamespace(**runpy.run_path(str(SOLUTIONS / f"{path}.py")))


@pytest.fixture(autouse=True)
def same_numbers_every_time() -> None:
    torch.manual_seed(15)


def in_heads(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def torchs_own(x: Tensor, heads: int, layers: list[nn.Linear], out: nn.Linear, mask: Tensor | None = None) -> Tensor:
    """What torch's own module makes of this, with the parameters of layers for queries, keys and values, and for the output."""
    module = nn.MultiheadAttention(out.in_features, heads, batch_first=True, dtype=x.dtype).eval()
    biases = [torch.zeros_like(layer.weight[:, 0]) if layer.bias is None else layer.bias for layer in layers]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))
        module.in_proj_bias.copy_(torch.cat(biases))
        module.out_proj.weight.copy_(out.weight)
        module.out_proj.bias.copy_(out.bias if out.bias is not None else torch.zeros_like(out.weight[:, 0]))
    return module(x, x, x, attn_mask=mask)[0]


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 3, 3), (1, 5, 1)], ids=str)
def test_softmax_is_torchs_softmax(shape: tuple[int, ...], dim: int, dtype: torch.dtype) -> None:
    scores = torch.randn(*shape, dtype=dtype) * 300
    assert_close(solution("01_soft_lookup/03_softmax").softmax(scores, dim), torch.softmax(scores, dim))


@rows(SHAPES["scores"], "query_shape", "key_shape")
def test_scaled_scores_are_those_of_the_fused_attention(
    query_shape: list[int], key_shape: list[int], dtype: torch.dtype
) -> None:
    query, key, value = (torch.randn(*shape, dtype=dtype) for shape in (query_shape, key_shape, key_shape))
    scores = solution("02_self_attention/04_scaled_scores").scaled_scores(query, key)
    assert_close(scores.softmax(-1) @ value, fused(query, key, value))


@pytest.mark.parametrize("spare", [0, 3], ids=["whole-mask", "cropped-mask"])
@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4), (2, 3, 6, 4), (1, 1, 1)], ids=str)
def test_masked_softmax_is_the_fused_attention_with_a_mask(
    shape: tuple[int, ...], spare: int, dtype: torch.dtype
) -> None:
    query, key, value = torch.randn(3, *shape, dtype=dtype).unbind()
    tokens, width = shape[-2:]
    hidden = torch.rand(tokens + spare, tokens + spare) < 0.5
    hidden.fill_diagonal_(False)  # a row in which everything is hidden has no right answer
    weights = solution("03_masks_and_dropout/04_masked_softmax").masked_softmax(query @ key.mT / width**0.5, hidden)
    due = fused(query, key, value, attn_mask=~hidden[:tokens, :tokens])
    # the weights are computed in float32, whatever comes in
    assert_close(weights @ value, due, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sizes", [(2, 5, 8), (3, 3, 3), (1, 7, 4), (2, 1, 6)], ids=str)
def test_self_attention_is_one_head_of_torchs(sizes: tuple[int, int, int], dtype: torch.dtype) -> None:
    width = sizes[-1]
    module = solution("02_self_attention/06_self_attention").MySelfAttention(width).to(dtype).eval()
    layers = [module.linear_q, module.linear_k, module.linear_v]
    x = torch.randn(*sizes, dtype=dtype)
    assert_close(module(x), fused(*[layer(x) for layer in layers]))
    unchanged = nn.Linear(width, width, bias=False, dtype=dtype)
    nn.init.eye_(unchanged.weight)
    assert_close(module(x), torchs_own(x, 1, layers, unchanged))


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no-bias"])
@rows(SHAPES["heads"], "batch", "tokens", "d_in", "d_out", "heads", "spare")
def test_multi_head_attention_is_torchs_causal_attention(
    batch: int, tokens: int, d_in: int, d_out: int, heads: int, spare: int, bias: bool, dtype: torch.dtype
) -> None:
    made = solution("04_multi_head/06_multi_head_attention").MultiHeadAttention
    module = made(d_in, d_out, tokens + spare, 0.5, heads, qkv_bias=bias).to(dtype).eval()
    layers = [module.W_query, module.W_key, module.W_value]
    x = torch.randn(batch, tokens, d_in, dtype=dtype)
    context = fused(*(in_heads(layer(x), heads) for layer in layers), is_causal=True)
    assert_close(module(x), module.out_proj(joined(context)))
    if d_in == d_out:
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        assert_close(module(x), torchs_own(x, heads, layers, module.out_proj, later))


@GROUPS
def test_repeat_kv_pairs_heads_as_torch_does(
    batch: int, tokens: int, head_dim: int, heads: int, kv: int, dtype: torch.dtype
) -> None:
    repeat_kv = solution("05_grouped_query/01_repeat_kv").repeat_kv
    query = torch.randn(batch, heads, tokens, head_dim, dtype=dtype)
    key, value = torch.randn(2, batch, kv, tokens, head_dim, dtype=dtype).unbind()
    repeated = fused(query, repeat_kv(key, heads // kv), repeat_kv(value, heads // kv))
    assert_close(repeated, fused(query, key, value, enable_gqa=True))


@GROUPS
def test_grouped_query_attention_is_torchs(
    batch: int, tokens: int, head_dim: int, heads: int, kv: int, dtype: torch.dtype
) -> None:
    made = solution("05_grouped_query/02_grouped_query_attention").GroupQueryAttention
    module = made(heads * head_dim, heads, kv).to(dtype).eval()
    layers = [module.q_proj, module.k_proj, module.v_proj]
    x = torch.randn(batch, tokens, heads * head_dim, dtype=dtype)
    parts = (in_heads(layer(x), count) for layer, count in zip(layers, (heads, kv, kv), strict=True))
    assert_close(module(x), module.o_proj(joined(fused(*parts, enable_gqa=True))))
    if kv == heads:
        assert_close(module(x), torchs_own(x, heads, layers, module.o_proj))
