from families import decoder, head_projections, heads, layers, results, scale, softmax
from families.some_of import without

from grader.judge.authoring import Mistake

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
REFUSED = "test_sizes_that_do_not_divide_are_refused"
GRADIENTS = "test_gradients_reach_input_and_parameters"
TURN_Q, TURN_K = "q = apply_rotary(q, offset=past)", "k = apply_rotary(k, offset=past)"
KEYS, VALUES = "keys = k.repeat_interleave(group, dim=1)", "values = v.repeat_interleave(group, dim=1)"
OFFSET = ".triu(diagonal=past + 1)"
ROOT = "self.head_dim**0.5"
END = "return self.o_proj(context), (k, v)"
EXPONENT = "(-2 * torch.arange(d // 2, dtype=x.dtype) / d)"
HALVES = "x1, x2 = x[..., : d // 2], x[..., d // 2 :]"
TURNED = "torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'
GROUPS = '        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"\n'


MISTAKES = [
    # --- where rotary and cache meet
    Mistake(
        "offset-ignored",
        "With a cache, new queries and keys were turned as if the text began with them. New token i has the position past + i: the number of "
        "cached tokens is the offset.",
        caught_by=CHUNKS,
        edits=[(TURN_Q, "q = apply_rotary(q)"), (TURN_K, "k = apply_rotary(k)")],
    ),
    Mistake(
        "offset-for-queries-only",
        "With a cache, the new keys were turned as if the text began with them. They have the same positions as the queries: past + i.",
        caught_by=CHUNKS,
        edits=[(TURN_K, "k = apply_rotary(k)")],
    ),
    Mistake(
        "cached-keys-turned-again",
        "The keys were turned after they had been joined with those of the cache, which were turned already. Turn the new ones, then join.",
        caught_by=CHUNKS,
        edits=[(TURN_K + "\n", "\n"), (KEYS, "k = apply_rotary(k)\n        " + KEYS)],
    ),
    # --- rotary
    Mistake(
        "no-rotary",
        "Queries and keys were not turned: rotary is missing.",
        edits=[(TURN_Q + "\n", "\n"), (TURN_K + "\n", "\n")],
    ),
    Mistake(
        "only-queries-turned",
        "Only the queries were turned. Keys are turned as well; then a product depends on how far apart the two stand.",
        edits=[(TURN_K + "\n", "\n")],
    ),
    Mistake(
        "only-keys-turned",
        "Only the keys were turned. Queries are turned as well; then a product depends on how far apart the two stand.",
        edits=[(TURN_Q + "\n", "\n")],
    ),
    Mistake(
        "values-turned",
        "The values were turned, too. Only queries and keys are turned: positions act on the scores alone.",
        edits=[(TURN_K, TURN_K + "\n        v = apply_rotary(v, offset=past)")],
    ),
    Mistake(
        "neighbours-paired",
        "Neighbours (0, 1), (2, 3), … were paired. Here entry i is paired with entry i + head_dim/2, as in `rotary`.",
        edits=[
            (HALVES, "x1, x2 = x[..., ::2], x[..., 1::2]"),
            (TURNED, "torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).flatten(-2)"),
        ],
    ),
    Mistake(
        "exponent-doubled",
        "The angles fall too fast from pair to pair: the exponent has its factor 2 twice. It is -2i/head_dim.",
        edits=[(EXPONENT, "(-4 * torch.arange(d // 2, dtype=x.dtype) / d)")],
    ),
    # --- grouped heads
    Mistake(
        "heads-tiled",
        "The key and value heads were tiled (0 1 0 1 …). Neighbouring query heads share one: 0 0 1 1 …, repeat_interleave.",
        edits=[(KEYS, "keys = k.repeat(1, group, 1, 1)"), (VALUES, "values = v.repeat(1, group, 1, 1)")],
    ),
    # --- the cache
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cached keys and values are not used. They go in front of the new ones.",
        caught_by=CHUNKS,
        edits=[
            ("if cache is not None:", "if False:"),
            ("torch.ones(n, past + n, dtype=torch.bool)" + OFFSET, "torch.ones(n, n, dtype=torch.bool).triu(1)"),
        ],
    ),
    *without(decoder.places(), "new-tokens-hidden"),
    *decoder.diagonal(),
    *decoder.later_tokens(),
    *decoder.keys_and_values_cached(),
    Mistake(
        "cached-keys-and-values-exchanged",
        "Keys and values are exchanged in the cache: stored as (k, v), read as (v, k), or the other way round.",
        caught_by=CHUNKS,
        edits=[("past_k, past_v = cache", "past_v, past_k = cache")],
    ),
    Mistake(
        "cache-holds-the-last-chunk",
        "The new cache holds the newest chunk only. Return the joined keys and values.",
        caught_by=CHUNKS,
        edits=[(TURN_K, TURN_K + "\n        newest = (k, v)"), (END, "return self.o_proj(context), newest")],
    ),
    Mistake(
        "kept-in-the-module",
        "Keys and values are kept in the module, whatever cache is passed in, so two texts read by turns get mixed up. Use the cache that "
        "comes as an argument.",
        caught_by=REUSE,
        edits=[
            (
                "past = 0 if cache is None else cache[0].shape[2]",
                "past = 0 if cache is None else self.kept[0].shape[2]",
            ),
            ("past_k, past_v = cache", "past_k, past_v = self.kept"),
            (END, "self.kept = (k, v)\n        return self.o_proj(context), (k, v)"),
        ],
    ),
    decoder.kept(length_of_the_cache="cache[0].shape"),
    *without(decoder.pair(), "pair-the-other-way-round"),
    # --- the attention
    decoder.weakly_hidden(),
    *scale.mistakes(root=ROOT),
    scale.scale_of_the_model(root=ROOT),
    *softmax.another_axis(query_axis="2"),
    softmax.another_sum(),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values.",
        edits=[("weights @ values", "weights @ keys")],
    ),
    Mistake(
        "values-as-keys",
        "The keys come from v_proj. They come from k_proj(x); v_proj is for what is mixed.",
        edits=[("k = self.k_proj(x)", "k = self.v_proj(x)")],
    ),
    heads.merge_without_transpose(values="values", joined="b, n, hidden_dim"),
    *heads.joined_otherwise(
        projected="self.v_proj(x).view(b, n, self.nums_key_value_head, self.head_dim)",
        values="values",
        joined="b, n, hidden_dim",
    ),
    *decoder.last_line(),
    # --- the layers
    layers.with_bias(),
    Mistake(
        "hidden-dim-not-checked",
        "A hidden_dim that nums_head does not divide was accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by=REFUSED,
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "groups-not-checked",
        "A nums_head that nums_key_value_head does not divide was accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by=REFUSED,
        edits=[(GROUPS, "")],
    ),
    # --- the rest
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off. The k and v that this call "
        "computes with must not be detached; those in the cache may be.",
        caught_by=GRADIENTS,
        edits=[(KEYS, "k, v = k.detach(), v.detach()\n        " + KEYS)],
    ),
    decoder.input_overwritten(),
    # --- met in other people's code
    *scale.scale_of_heads(root=ROOT, heads="nums_head"),
    softmax.no_softmax_of_infinite_scores(),
    softmax.over_the_heads(),
    softmax.dropout_of_its_own(in_training=ONE_PASS),
    heads.merge_interleaved(values="values", joined="b, n, hidden_dim", heads_axis="nums_head"),
    *heads.keys_turned(keys="keys"),
    *without(heads.split(heads="nums_head", kv="nums_key_value_head"), "split-interleaved", "heads-attend-to-heads"),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(queries="self.q_proj(x)", keys="self.k_proj(x)", values="self.v_proj(x)"),
    *softmax.another_function(),
    *results.rows_of_tokens("self.o_proj(context)"),
    results.returned("float32-only", "self.o_proj(context)"),
    layers.queries_and_keys(keys="keys"),
]
