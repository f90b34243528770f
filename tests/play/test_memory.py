"""The scenes of unit 6: a cache, a window, and a model that learns while one looks on."""

from __future__ import annotations

import pytest

from grader.play.catalogue import BadText
from grader.play.parts import Curve, Heat, Words, Written

from .conftest import parts_of, the


def test_the_text_is_the_same_with_the_cache(scene):
    parts = parts_of(scene("kv_cache"))
    (_, without), (_, with_it) = the(Written, parts).texts
    assert without == with_it
    assert without.startswith("po ")
    assert not any(isinstance(part, Words) and part.kind == "warning" for part in parts)
    curve = the(Curve, parts)
    assert [name for name, _ in curve.lines] == ["without the cache", "with the cache"]


def test_a_cache_that_forgets_writes_another_text(scene):
    parts = parts_of(scene("kv_cache", source=FORGETFUL))
    (_, without), (_, with_it) = the(Written, parts).texts
    assert without != with_it
    assert any(isinstance(part, Words) and part.kind == "warning" for part in parts)


FORGETFUL = """\
import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        self.heads = nums_head
        self.q_proj, self.k_proj = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v_proj, self.o_proj = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(out.transpose(1, 2).flatten(2)), (k, v)
"""


def test_a_window_off_by_one_is_seen_on_the_map(scene):
    right = the(Heat, parts_of(scene("sliding_window_mask")))
    assert [sum(row) for row in right.values][:6] == [1, 2, 3, 4, 4, 4]
    wide = (
        "def sliding_window_mask(num_tokens, window):\n    import torch\n    t = torch.ones(num_tokens, num_tokens)\n"
    )
    wide += "    return t.triu(1).bool() | t.tril(-window - 1).bool()\n"
    wrong = the(Heat, parts_of(scene("sliding_window_mask", source=wide)))
    assert [sum(row) for row in wrong.values][:6] == [1, 2, 3, 4, 5, 5]


@pytest.mark.thorough
def test_a_model_learns_the_rhyme_and_writes_from_it(scene):
    writer = scene("tiny_gpt")
    parts = parts_of(writer)
    (curve,) = (part for part in parts if isinstance(part, Curve))
    losses = curve.lines[0][1]
    assert losses[0] > 2.5
    assert losses[-1] < 0.6
    (_, first), (_, _), (_, last) = parts[-2].texts
    known = set(writer.example.replace("\n", " ").replace(".", "").replace(",", "").split())
    words = [word.strip(".,") for word in last.split()[:-1]]
    assert sum(word in known for word in words) > 0.7 * len(words)
    assert first != last


@pytest.mark.thorough
def test_a_model_that_was_stopped_goes_on_where_it_was(scene):
    stopped, whole = scene("tiny_gpt"), scene("tiny_gpt")
    going = stopped.parts(stopped.example, (), in_full=False)
    begun = [next(going) for _ in range(4)]
    going.close()
    rest = parts_of(stopped)
    steps = [part.text.split()[1] for part in [*begun, *rest] if isinstance(part, Words) and part.kind == "line"]
    assert steps == [str(number) for number in range(0, 241, 20)]
    assert the(Curve, rest) == the(Curve, parts_of(whole))


@pytest.mark.thorough
def test_a_model_without_attention_learns_less_and_is_told(scene):
    blind = ("h = h + self.attend(self.norm_1(h))", "h = self.attend(self.norm_1(h)) * 0")
    losses = the(Curve, parts_of(scene("tiny_gpt", blind))).lines[0][1]
    assert losses[-1] > 1.5


@pytest.mark.parametrize("text", ["too short", "x" * 30_000])
def test_a_text_must_be_long_enough_to_learn_and_not_too_long(scene, text):
    with pytest.raises(BadText):
        parts_of(scene("tiny_gpt"), text)
