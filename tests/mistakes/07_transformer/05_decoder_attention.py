from grader.judge.authoring import Mistake

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
LOUD = "test_later_tokens_weigh_exactly_nothing"
REFUSED = "test_sizes_that_do_not_divide_are_refused"
GRADIENTS = "test_gradients_reach_input_and_parameters"
TURN_Q, TURN_K = "q = apply_rotary(q, offset=past)", "k = apply_rotary(k, offset=past)"
CAT_K, CAT_V = "torch.cat([past_k, k], dim=2)", "torch.cat([past_v, v], dim=2)"
KEYS, VALUES = "keys = k.repeat_interleave(group, dim=1)", "values = v.repeat_interleave(group, dim=1)"
SPLIT_K = "k = self.k_proj(x).view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
SOFTMAX = "F.softmax(scores, dim=-1)"
ROOT = "self.head_dim**0.5"
MERGE = "(weights @ values).transpose(1, 2).reshape(b, n, hidden_dim)"
END = "return self.o_proj(context), (k, v)"
START = "        b, n, hidden_dim = x.shape\n"
EXPONENT = "(-2 * torch.arange(d // 2, dtype=x.dtype) / d)"
HALVES = "x1, x2 = x[..., : d // 2], x[..., d // 2 :]"
TURNED = "torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'
GROUPS = '        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"\n'

MISTAKES = [
    # --- where rotary and cache meet
    Mistake(
        "offset-ignored",
        "With a cache, the new tokens were turned as if the text began with them. New token i stands at place past + i: the number of "
        "cached tokens is the offset.",
        caught_by=CHUNKS,
        edits=[(TURN_Q, "q = apply_rotary(q)"), (TURN_K, "k = apply_rotary(k)")],
    ),
    Mistake(
        "offset-for-queries-only",
        "With a cache, the new keys were turned as if the text began with them. Queries and keys stand at the same places: past + i.",
        caught_by=CHUNKS,
        edits=[(TURN_K, "k = apply_rotary(k)")],
    ),
    Mistake(
        "offset-for-keys-only",
        "With a cache, the new queries were turned as if the text began with them. Queries and keys stand at the same places: past + i.",
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
        "The keys were joined first and then turned with the offset as well: old ones twice, new ones too far. Turn the new ones by the "
        "offset, then join.",
        caught_by=CHUNKS,
        edits=[(TURN_K + "\n", "\n"), (KEYS, "k = apply_rotary(k, offset=past)\n        " + KEYS)],
    ),
    Mistake(
        "offset-one-too-far",
        "With a cache the new tokens stand one place too far on. After `past` tokens the first new one stands at place past.",
        caught_by=CHUNKS,
        edits=[
            (TURN_Q, "q = apply_rotary(q, offset=past + (past > 0))"),
            (TURN_K, "k = apply_rotary(k, offset=past + (past > 0))"),
        ],
    ),
    # --- rotary
    Mistake(
        "no-rotary",
        "Nothing is turned: queries and keys go in without their places.",
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
        "The values were turned, too. Only queries and keys are: places belong into the scores.",
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
        "The angles fall half as fast as they should from pair to pair: the exponent is -2i/head_dim.",
        caught_by=ONE_PASS,
        edits=[(EXPONENT, "(-torch.arange(d // 2, dtype=x.dtype) / d)")],
    ),
    Mistake(
        "exponent-doubled",
        "The angles fall twice as fast as they should from pair to pair: the exponent is -2i/head_dim.",
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
        "The angles run over the heads: rotary was applied before heads and tokens were swapped. It counts along the axis before the last.",
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
        "k_proj and v_proj are as wide as q_proj. They put out nums_key_value_head · head_dim.",
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
        "The cache that was passed in is not looked at: each chunk is read as if it were a new text.",
        caught_by=CHUNKS,
        edits=[(START, START + "        cache = None\n")],
        same_as="cache-dropped",
    ),
    Mistake(
        "mask-at-the-upper-left",
        "With a cache the mask starts at the upper left again, so new tokens see only the oldest ones. New token i is token past + i: "
        "move the diagonal by the number of cached tokens.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=1)")],
    ),
    Mistake(
        "no-mask-with-a-cache",
        "As soon as there is a cache, nothing is hidden. Inside a longer chunk a token must not see the ones after it.",
        caught_by=CHUNKS,
        edits=[(HIDE, "scores = scores if past else scores.masked_fill(later, -torch.inf)")],
    ),
    Mistake(
        "new-tokens-in-front",
        "The new keys and values were put in front of the cached ones. Time runs on: first the cached ones, then the new ones.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([k, past_k], dim=2)"), (CAT_V, "torch.cat([v, past_v], dim=2)")],
    ),
    Mistake(
        "cached-keys-and-values-exchanged",
        "Keys and values are exchanged in the cache: what was stored as one is read back as the other.",
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
    Mistake(
        "changed-in-place",
        "The cache that was passed in was changed (append, update, +=, …), so nobody can continue from it a second time. Put the joined "
        "keys and values into a new cache.",
        caught_by=REUSE,
        edits=[
            ("            past_k, past_v = cache\n", "            past_k, past_v = cache[0], cache[1]\n"),
            (
                END,
                "if cache is None:\n            cache = [k, v]\n        cache[0], cache[1] = k, v\n"
                "        return self.o_proj(context), cache",
            ),
        ],
    ),
    Mistake(
        "kept-in-evaluation",
        "A second input of the same shape gets the result of the first: something is kept from call to call. Each call computes its "
        "result from its own input.",
        caught_by=REUSE,
        edits=[
            (
                START,
                START + "        shapes = x.shape, cache if cache is None else cache[0].shape\n"
                '        if not self.training and getattr(self, "shapes", None) == shapes:\n            return self.kept\n',
            ),
            (END, "self.shapes, self.kept = shapes, (self.o_proj(context), (k, v))\n        return self.kept"),
        ],
    ),
    Mistake(
        "only-out-returned",
        "Only `out` came back. Return the pair (out, cache), so that the next call can go on from here.",
        caught_by="test_shape_of_one_pass",
        edits=[(END, "return self.o_proj(context)")],
    ),
    # --- the attention
    Mistake(
        "not-causal",
        "Nothing is hidden: earlier tokens see later ones. Hide them before the softmax.",
        caught_by=ONE_PASS,
        edits=[(HIDE, "")],
    ),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it. The hidden triangle begins one step further left: diagonal=past + 1.",
        caught_by=ONE_PASS,
        edits=[(OFFSET, ".triu(diagonal=past + 2)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask came after the softmax, so the visible weights no longer sum to 1. Hide the scores, then take the softmax.",
        caught_by=ONE_PASS,
        edits=[(HIDE, ""), (SOFTMAX, f"{SOFTMAX}.masked_fill(later, 0.0)")],
    ),
    Mistake(
        "filled-with-minus-100",
        "Hidden scores were set to -100. Where visible scores are low, too, a hidden token is still heard: minus infinity.",
        caught_by=LOUD,
        edits=[("-torch.inf", "-100.0")],
    ),
    Mistake(
        "minus-100-added",
        "100 was taken off hidden scores. A score that is far above the others is still heard: minus infinity.",
        caught_by=LOUD,
        edits=[(HIDE, "scores = scores - 100.0 * later")],
    ),
    Mistake(
        "no-scale",
        "The scores are not divided by √head_dim.",
        caught_by=ONE_PASS,
        edits=[(" / " + ROOT, "")],
    ),
    Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "hidden_dim**0.5")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=2). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by=ONE_PASS,
        edits=[(SOFTMAX, "F.softmax(scores, dim=2)")],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values.",
        caught_by=ONE_PASS,
        edits=[("weights @ values", "weights @ keys")],
    ),
    Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back. First transpose(1, 2), then reshape.",
        caught_by=ONE_PASS,
        edits=[(MERGE, "(weights @ values).reshape(b, n, hidden_dim)")],
    ),
    Mistake(
        "output-layer-unused",
        "o_proj is made but not used: the joined heads were returned as they are. The last step is o_proj.",
        caught_by=ONE_PASS,
        edits=[("self.o_proj(context)", "context")],
    ),
    # --- the layers
    Mistake(
        "with-bias",
        "The layers have a bias. Here they have none: bias=False.",
        caught_by=ONE_PASS,
        edits=[(", bias=False", "")],
        everywhere=True,
    ),
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
    Mistake(
        "detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() cuts the way back: nothing could be trained through it.",
        caught_by=GRADIENTS,
        edits=[(END, "return self.o_proj(context).detach(), (k, v)")],
    ),
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off. Keep what goes into the scores "
        "and the mixture attached.",
        caught_by=GRADIENTS,
        edits=[(KEYS, "k, v = k.detach(), v.detach()\n        " + KEYS)],
    ),
    Mistake(
        "input-overwritten",
        "x was changed in place. The caller still needs it: work on a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(END, "out = self.o_proj(context)\n        x.detach().mul_(0.5)\n        return out, (k, v)")],
    ),
]
