"""The reference solutions agree with torch's own attention, which is written by other people in other ways."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.testing import assert_close

SOLUTIONS = Path(__file__).parents[2] / "solutions"
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])


@cache
def solution(path: str) -> ModuleType:
    file = SOLUTIONS / path
    spec = importlib.util.spec_from_file_location(f"solution_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def same_numbers_every_time() -> None:
    torch.manual_seed(15)


def in_heads(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def torchs_module(
    heads: int, query: nn.Linear, key: nn.Linear, value: nn.Linear, out: nn.Linear
) -> nn.MultiheadAttention:
    """torch's own module with the parameters of these layers."""
    width, dtype = query.out_features, query.weight.dtype
    made = nn.MultiheadAttention(width, heads, batch_first=True, dtype=dtype).eval()
    layers = (query, key, value)
    biases = [torch.zeros(width, dtype=dtype) if layer.bias is None else layer.bias for layer in layers]
    with torch.no_grad():
        made.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))
        made.in_proj_bias.copy_(torch.cat(biases))
        made.out_proj.weight.copy_(out.weight)
        made.out_proj.bias.copy_(out.bias)
    return made


@DTYPES
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 3, 3), (1, 5, 1)], ids=str)
def test_softmax_is_torchs_softmax(shape: tuple[int, ...], dim: int, dtype: torch.dtype) -> None:
    scores = torch.randn(*shape, dtype=dtype) * 300
    assert_close(solution("01_soft_lookup/03_softmax.py").softmax(scores, dim), torch.softmax(scores, dim))


@DTYPES
@pytest.mark.parametrize(
    ("query_shape", "key_shape"),
    [
        pytest.param((5, 3), (4, 3), id="no-batch"),
        pytest.param((2, 5, 3), (2, 4, 3), id="batch"),
        pytest.param((2, 3, 5, 4), (2, 3, 6, 4), id="batch-and-heads"),
        pytest.param((4, 4, 4), (4, 4, 4), id="square"),
        pytest.param((2, 1, 3), (2, 1, 3), id="one-token"),
    ],
)
def test_scaled_scores_are_those_of_the_fused_attention(
    query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    query, key = torch.randn(*query_shape, dtype=dtype), torch.randn(*key_shape, dtype=dtype)
    value = torch.randn(*key_shape, dtype=dtype)
    scores = solution("02_self_attention/04_scaled_scores.py").scaled_scores(query, key)
    assert_close(scores.softmax(-1) @ value, F.scaled_dot_product_attention(query, key, value))


@DTYPES
@pytest.mark.parametrize("spare", [0, 3], ids=["whole-mask", "cropped-mask"])
@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4), (2, 3, 6, 4), (1, 1, 1)], ids=str)
def test_masked_softmax_is_the_fused_attention_with_a_mask(
    shape: tuple[int, ...], spare: int, dtype: torch.dtype
) -> None:
    query, key, value = torch.randn(3, *shape, dtype=dtype).unbind()
    tokens, width = shape[-2:]
    hidden = torch.rand(tokens + spare, tokens + spare) < 0.5
    hidden.fill_diagonal_(False)  # a row in which everything is hidden has no right answer
    scores = query @ key.mT / width**0.5
    weights = solution("03_masks_and_dropout/04_masked_softmax.py").masked_softmax(scores, hidden)
    seen = ~hidden[:tokens, :tokens]
    # the weights are computed in float32, whatever comes in
    fused = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    assert_close(weights @ value, fused, rtol=1e-5, atol=1e-6)


@DTYPES
@pytest.mark.parametrize("sizes", [(2, 5, 8), (3, 3, 3), (1, 7, 4), (2, 1, 6)], ids=str)
def test_self_attention_is_one_head_of_torchs(sizes: tuple[int, int, int], dtype: torch.dtype) -> None:
    width = sizes[-1]
    module = solution("02_self_attention/06_self_attention.py").MySelfAttention(width).to(dtype).eval()
    layers = module.linear_q, module.linear_k, module.linear_v
    x = torch.randn(*sizes, dtype=dtype)
    output = module(x)
    assert_close(output, F.scaled_dot_product_attention(*[layer(x) for layer in layers]))
    unchanged = nn.Linear(width, width, dtype=dtype)
    nn.init.eye_(unchanged.weight)
    nn.init.zeros_(unchanged.bias)
    assert_close(output, torchs_module(1, *layers, unchanged)(x, x, x)[0])


@DTYPES
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no-bias"])
@pytest.mark.parametrize(
    ("batch", "tokens", "d_in", "d_out", "heads", "spare"),
    [
        pytest.param(2, 5, 7, 12, 3, 0, id="wider"),
        pytest.param(2, 5, 12, 6, 2, 4, id="narrower-in-a-longer-context"),
        pytest.param(3, 4, 6, 6, 1, 0, id="one-head"),
        pytest.param(3, 1, 8, 8, 4, 2, id="one-token"),
        pytest.param(4, 4, 16, 16, 4, 0, id="square"),
        pytest.param(1, 6, 3, 2, 2, 0, id="as-in-the-document"),
    ],
)
def test_multi_head_attention_is_torchs_causal_attention(
    batch: int, tokens: int, d_in: int, d_out: int, heads: int, spare: int, bias: bool, dtype: torch.dtype
) -> None:
    made = solution("04_multi_head/06_multi_head_attention.py").MultiHeadAttention
    module = made(d_in, d_out, tokens + spare, 0.5, heads, qkv_bias=bias).to(dtype).eval()
    layers = module.W_query, module.W_key, module.W_value
    x = torch.randn(batch, tokens, d_in, dtype=dtype)
    output = module(x)
    query, key, value = (in_heads(layer(x), heads) for layer in layers)
    fused = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    assert_close(output, module.out_proj(joined(fused)))
    if d_in == d_out:
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        theirs = torchs_module(heads, *layers, module.out_proj)
        assert_close(output, theirs(x, x, x, attn_mask=later)[0])


GROUPS = pytest.mark.parametrize(
    ("batch", "tokens", "head_dim", "heads", "kv"),
    [
        pytest.param(2, 5, 3, 6, 2, id="two-groups-of-three"),
        pytest.param(3, 4, 5, 6, 3, id="three-groups-of-two"),
        pytest.param(2, 5, 4, 6, 6, id="multi-head"),
        pytest.param(2, 5, 4, 6, 1, id="multi-query"),
        pytest.param(4, 1, 3, 4, 2, id="one-token"),
        pytest.param(4, 4, 4, 4, 2, id="square"),
        pytest.param(3, 2, 16, 8, 4, id="as-in-the-document"),
    ],
)


@DTYPES
@GROUPS
def test_repeat_kv_pairs_heads_as_torch_does(
    batch: int, tokens: int, head_dim: int, heads: int, kv: int, dtype: torch.dtype
) -> None:
    repeat_kv = solution("05_grouped_query/01_repeat_kv.py").repeat_kv
    query = torch.randn(batch, heads, tokens, head_dim, dtype=dtype)
    key, value = torch.randn(2, batch, kv, tokens, head_dim, dtype=dtype).unbind()
    repeated = F.scaled_dot_product_attention(query, repeat_kv(key, heads // kv), repeat_kv(value, heads // kv))
    assert_close(repeated, F.scaled_dot_product_attention(query, key, value, enable_gqa=True))


@DTYPES
@GROUPS
def test_grouped_query_attention_is_torchs(
    batch: int, tokens: int, head_dim: int, heads: int, kv: int, dtype: torch.dtype
) -> None:
    width = heads * head_dim
    made = solution("05_grouped_query/02_grouped_query_attention.py").GroupQueryAttention
    module = made(width, heads, kv).to(dtype).eval()
    x = torch.randn(batch, tokens, width, dtype=dtype)
    output = module(x)
    query, key, value = (
        in_heads(layer(x), count) for layer, count in ((module.q_proj, heads), (module.k_proj, kv), (module.v_proj, kv))
    )
    fused = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    assert_close(output, module.o_proj(joined(fused)))
    if kv == heads:
        theirs = torchs_module(heads, module.q_proj, module.k_proj, module.v_proj, module.o_proj)
        assert_close(output, theirs(x, x, x)[0])
