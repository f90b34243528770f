from grader.judge.authoring import Mistake, from_family

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
REFUSED = "test_sizes_that_do_not_divide_are_refused"
GRADIENTS = "test_gradients_reach_input_and_parameters"
TURN_Q, TURN_K = "q = apply_rotary(q, offset=past)", "k = apply_rotary(k, offset=past)"
KEYS, VALUES = "keys = k.repeat_interleave(group, dim=1)", "values = v.repeat_interleave(group, dim=1)"
SPLIT_K = "k = self.k_proj(x).view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
ROOT = "self.head_dim**0.5"
END = "return self.o_proj(context), (k, v)"
START = "        b, n, hidden_dim = x.shape\n"
EXPONENT = "(-2 * torch.arange(d // 2, dtype=x.dtype) / d)"
HALVES = "x1, x2 = x[..., : d // 2], x[..., d // 2 :]"
TURNED = "torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'
GROUPS = '        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"\n'

WORDS = {
    "main": ONE_PASS,
    "root": ROOT,
    "width": "head_dim",
    "query_axis": "2",
    "values": "values",
    "model": "hidden_dim",
    "cache": "(k, v)",
    "length_of_the_cache": "cache[0].shape",
    "shape_check": "test_shape_of_one_pass",
    "heads": "nums_head",
    "tokens": "n",
    "asks": "self.q_proj(x)",
    "answers": "self.k_proj(x)",
    "mixed": "self.v_proj(x)",
    "result": "self.o_proj(context)",
    "single": ONE_PASS,
    "double": ONE_PASS,
    "q": "q",
    "v": "v",
    "split_q": ".view(b, n, self.nums_head, self.head_dim).transpose(1, 2)",
    "unsplit_q": ".view(b, self.nums_head, n, self.head_dim)",
    "split": ".view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)",
    "unsplit": ".view(b, self.nums_key_value_head, n, self.head_dim)",
    "last": "o_proj",
}

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
        "offset-for-keys-only",
        "With a cache, the new queries were turned as if the text began with them. They have the same positions as the new keys: past + i.",
        caught_by=CHUNKS,
        edits=[(TURN_Q, "q = apply_rotary(q)")],
    ),
    Mistake(
        "cached-keys-turned-again",
        "The keys were turned after they had been joined with those of the cache, which were turned already. Turn the new ones, then join.",
        caught_by=CHUNKS,
        edits=[(TURN_K + "\n", "\n"), (KEYS, "k = apply_rotary(k)\n        " + KEYS)],
    ),
    Mistake(
        "cached-keys-turned-by-the-past",
        "The keys were joined first and then all turned with the offset: the old ones a second time, the new ones too far. Turn the new ones, with "
        "the offset, then join.",
        caught_by=CHUNKS,
        edits=[(TURN_K + "\n", "\n"), (KEYS, "k = apply_rotary(k, offset=past)\n        " + KEYS)],
    ),
    Mistake(
        "offset-one-too-far",
        "With a cache the positions of the new tokens are one too large. Positions count from 0, so after `past` tokens the first new one has the "
        "position past.",
        caught_by=CHUNKS,
        edits=[
            (TURN_Q, "q = apply_rotary(q, offset=past + (past > 0))"),
            (TURN_K, "k = apply_rotary(k, offset=past + (past > 0))"),
        ],
    ),
    # --- rotary
    Mistake(
        "no-rotary",
        "Queries and keys were not turned: rotary is missing.",
        caught_by=ONE_PASS,
        edits=[(TURN_Q + "\n", "\n"), (TURN_K + "\n", "\n")],
    ),
    Mistake(
        "only-queries-turned",
        "Only the queries were turned. Keys are turned as well; then a product depends on how far apart the two stand.",
        caught_by=ONE_PASS,
        edits=[(TURN_K + "\n", "\n")],
    ),
    Mistake(
        "only-keys-turned",
        "Only the keys were turned. Queries are turned as well; then a product depends on how far apart the two stand.",
        caught_by=ONE_PASS,
        edits=[(TURN_Q + "\n", "\n")],
    ),
    Mistake(
        "values-turned",
        "The values were turned, too. Only queries and keys are turned: positions act on the scores alone.",
        caught_by=ONE_PASS,
        edits=[(TURN_K, TURN_K + "\n        v = apply_rotary(v, offset=past)")],
    ),
    Mistake(
        "neighbours-paired",
        "Neighbours (0, 1), (2, 3), … were paired. Here entry i is paired with entry i + head_dim/2, as in `rotary`.",
        caught_by=ONE_PASS,
        edits=[
            (HALVES, "x1, x2 = x[..., ::2], x[..., 1::2]"),
            (TURNED, "torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).flatten(-2)"),
        ],
    ),
    Mistake(
        "exponent-halved",
        "The angles fall too slowly from pair to pair: the exponent is -2i/head_dim, and its factor 2 is missing.",
        caught_by=ONE_PASS,
        edits=[(EXPONENT, "(-torch.arange(d // 2, dtype=x.dtype) / d)")],
    ),
    Mistake(
        "exponent-doubled",
        "The angles fall too fast from pair to pair: the exponent has its factor 2 twice. It is -2i/head_dim.",
        caught_by=ONE_PASS,
        edits=[(EXPONENT, "(-4 * torch.arange(d // 2, dtype=x.dtype) / d)")],
    ),
    Mistake(
        "turned-before-the-split",
        "Queries and keys were turned before they were split into heads, over the whole width. Each head is turned by itself.",
        caught_by=ONE_PASS,
        edits=[
            (
                "q = self.q_proj(x).view(",
                "past = 0 if cache is None else cache[0].shape[2]\n        q = apply_rotary(self.q_proj(x), offset=past).view(",
            ),
            (SPLIT_K, SPLIT_K.replace("self.k_proj(x)", "apply_rotary(self.k_proj(x), offset=past)")),
            (TURN_Q + "\n", "\n"),
            (TURN_K + "\n", "\n"),
        ],
    ),
    Mistake(
        "turned-over-the-heads",
        "The positions run over the heads: rotary was applied before heads and tokens were swapped. Apply it to (b, heads, n, head_dim).",
        caught_by=ONE_PASS,
        edits=[
            (TURN_Q, "q = apply_rotary(q.transpose(1, 2), offset=past).transpose(1, 2)"),
            (TURN_K, "k = apply_rotary(k.transpose(1, 2), offset=past).transpose(1, 2)"),
        ],
    ),
    # --- grouped heads
    Mistake(
        "heads-tiled",
        "The key and value heads were tiled (0 1 0 1 …). Neighbouring query heads share one: 0 0 1 1 …, repeat_interleave.",
        caught_by=ONE_PASS,
        edits=[(KEYS, "keys = k.repeat(1, group, 1, 1)"), (VALUES, "values = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "keys-tiled",
        "The key heads were tiled (0 1 0 1 …), those of the values not. Neighbouring query heads share one: 0 0 1 1 …",
        caught_by=ONE_PASS,
        edits=[(KEYS, "keys = k.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "values-tiled",
        "The value heads were tiled (0 1 0 1 …), those of the keys not. Neighbouring query heads share one: 0 0 1 1 …",
        caught_by=ONE_PASS,
        edits=[(VALUES, "values = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "keys-and-values-wide",
        "k_proj and v_proj put out hidden_dim numbers. They should put out nums_key_value_head · head_dim.",
        caught_by=ONE_PASS,
        edits=[
            ("nn.Linear(hidden_dim, narrow, bias=False)", "nn.Linear(hidden_dim, hidden_dim, bias=False)"),
            ("self.nums_key_value_head = nums_key_value_head", "self.nums_key_value_head = nums_head"),
        ],
        everywhere=True,
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
    Mistake(
        "cache-not-read-at-all",
        "The cache that was passed in is not used: each chunk is read like a new text.",
        caught_by=CHUNKS,
        edits=[(START, START + "        cache = None\n")],
        same_as="cache-dropped",
    ),
    from_family("decoder", "mask-at-the-upper-left", "own-token-hidden", "lower-triangle-and-next"),
    from_family("decoder", "mask-inverted", "mask-inverted-finite", "filled-with-zero"),
    Mistake(
        "no-mask-with-a-cache",
        "As soon as there is a cache, nothing is hidden. Inside a longer chunk a token must not see the ones after it.",
        caught_by=CHUNKS,
        edits=[(HIDE, "scores = scores if past else scores.masked_fill(later, -torch.inf)")],
    ),
    from_family("decoder", "new-tokens-in-front"),
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
    from_family("decoder", "changed-in-place", "kept-in-evaluation", "kept-in-training", "only-out-returned"),
    # --- the attention
    from_family(
        "decoder", "not-causal", "next-token-visible", "mask-after-softmax", "filled-with-minus-100", "minus-100-added"
    ),
    from_family("scale", "no-scale", "scale-from-hidden-dim"),
    from_family("softmax", "softmax-over-queries", "divided-by-the-mean"),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values.",
        caught_by=ONE_PASS,
        edits=[("weights @ values", "weights @ keys")],
    ),
    Mistake(
        "values-as-keys",
        "The keys come from v_proj. They come from k_proj(x); v_proj is for what is mixed.",
        caught_by=ONE_PASS,
        edits=[("k = self.k_proj(x)", "k = self.v_proj(x)")],
    ),
    from_family("decoder", "merge-without-transpose", "output-layer-unused"),
    # --- the layers
    from_family("layers", "with-bias"),
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
    Mistake(
        "nothing-checked",
        "Sizes that do not divide were accepted. Refuse them in `__init__` with an assert or a ValueError.",
        caught_by=REFUSED,
        edits=[(DIVIDES, ""), (GROUPS, "")],
        same_as="hidden-dim-not-checked",
    ),
    # --- the rest
    from_family("decoder", "detached"),
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off. The k and v that this call "
        "computes with must not be detached; those in the cache may be.",
        caught_by=GRADIENTS,
        edits=[(KEYS, "k, v = k.detach(), v.detach()\n        " + KEYS)],
    ),
    from_family("decoder", "input-overwritten"),
    # --- met in other people's code
    from_family(
        "scale",
        "scale-upside-down",
        "scaled-after-softmax",
        "scale-from-heads",
        "scale-from-tokens",
        "divided-by-head-dim",
        compared="one head",
    ),
    from_family("softmax", "no-softmax-infinite", "softmax-over-heads", "softmax-over-batch"),
    from_family("softmax", "dropout-of-its-own", in_training=ONE_PASS),
    from_family(
        "heads", "merge-interleaved", "keys-wrong-axes", heads_axis="nums_head", joined="b, n, hidden_dim", keys="keys"
    ),
    from_family("decoder", "residual-added"),
    Mistake(
        "split-without-transpose",
        "The projections were viewed as (b, heads, n, head_dim) at once, which puts parts of several tokens into one head. View as "
        "(b, n, heads, head_dim), then swap dimensions 1 and 2.",
        caught_by=ONE_PASS,
        edits=[
            ("view(b, n, self.nums_head, self.head_dim).transpose(1, 2)", "view(b, self.nums_head, n, self.head_dim)"),
            (
                "view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)",
                "view(b, self.nums_key_value_head, n, self.head_dim)",
            ),
        ],
        everywhere=True,
    ),
    # --- one layer for another, and what becomes of the result
    from_family(
        "head_projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
        "keys-from-the-query-layer",
        "values-from-the-query-layer",
        "queries-and-values-exchanged",
        "one-layer-for-all",
        "queries-split-without-transpose",
        "keys-split-without-transpose",
        "values-split-without-transpose",
        "queries-detached",
        "keys-detached",
        "values-detached",
        "output-layer-twice",
    ),
    from_family(
        "decoder",
        "filled-with-plus-infinity",
        "filled-with-minus-ten",
        "filled-with-minus-one",
        "hidden-then-divided-over-queries",
        "no-softmax-hidden-zero",
        "softmax-of-the-visible-twice",
        "softmax-over-queries-before-the-mask",
        "softmax-over-heads-before-the-mask",
        "minus-ten-added",
        "own-token-hidden-finite",
        "no-softmax-finite",
    ),
    from_family(
        "softmax",
        "softmax-twice",
        "not-divided-by-the-sum",
        "not-divided-after-the-maximum",
        "divided-by-sums-over-queries",
        "log-softmax",
        "sigmoid",
        "largest-score-only",
        "weights-transposed",
        "softmax-over-queries-and-keys",
    ),
    from_family(
        "returned",
        "squeezed",
        "squeezed-in-front",
        "float32-only",
        "last-token-only",
        "first-sequence-only",
        "batch-and-tokens-joined",
        "averaged-over-the-tokens",
        "first-token-only",
        "tokens-and-width-joined",
        "tokens-and-width-exchanged",
        "batch-and-tokens-exchanged",
        "summed-over-the-tokens",
    ),
    from_family("heads", "keys-not-turned", keys="keys"),
    from_family("layers", "queries-and-keys-swapped", queries="q", keys="keys", last_two="2, 3"),
]
