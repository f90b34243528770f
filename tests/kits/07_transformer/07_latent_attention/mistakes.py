from grader.judge.authoring import Mistake, from_family

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
LATENTS = "test_the_cache_is_the_latents"
REUSE = "test_a_cache_can_be_used_again"
CAT = "latents = torch.cat([cache, latents], dim=1)"
PAST = "past = cache.shape[1]\n"
ROOT = "self.head_dim**0.5"
SPLIT = ".unflatten(-1, (self.nums_head, self.head_dim)).transpose(1, 2)"
END = "return self.o_proj(context), latents"
START = "        b, n, hidden_dim = x.shape\n"
DOWN = "latents = self.kv_down(x)\n"

WORDS = {
    "main": ONE_PASS,
    "root": ROOT,
    "width": "head_dim",
    "query_axis": "2",
    "values": "v",
    "model": "hidden_dim",
    "cache": "latents",
    "length_of_the_cache": "cache.shape",
    "shape_check": "test_shapes_of_one_pass",
    "heads": "nums_head",
    "tokens": "n",
    "asks": "self.q_proj(x)",
    "answers": "self.k_up(latents)",
    "mixed": "self.v_up(latents)",
    "result": "self.o_proj(context)",
    "single": ONE_PASS,
    "double": ONE_PASS,
    "q": "q",
    "v": "v",
    "split_q": ".unflatten(-1, (self.nums_head, self.head_dim)).transpose(1, 2)",
    "unsplit_q": ".reshape(b, self.nums_head, -1, self.head_dim)",
    "split": ".unflatten(-1, (self.nums_head, self.head_dim)).transpose(1, 2)",
    "unsplit": ".reshape(b, self.nums_head, -1, self.head_dim)",
    "last": "o_proj",
}

MISTAKES = [
    # --- the latents and the cache
    Mistake(
        "keys-and-values-cached",
        "The cache holds keys and values. It should hold the latents alone, (b, past + n, latent_dim): that is what makes it small.",
        caught_by=LATENTS,
        edits=[
            (PAST, "past = cache[0].shape[2]\n"),
            (CAT, "past_k, past_v = cache"),
            (
                "        # query i",
                "        if cache is not None:\n            k, v = torch.cat([past_k, k], dim=2), torch.cat([past_v, v], dim=2)\n        # query i",
            ),
            (END, "return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "cache-in-a-tuple",
        "The cache is a tuple, list or dict with the latents in it. It should be the tensor of the latents itself.",
        caught_by=LATENTS,
        edits=[
            (PAST, "cache = cache[0]\n            past = cache.shape[1]\n"),
            (END, "return self.o_proj(context), (latents,)"),
        ],
    ),
    Mistake(
        "cache-of-inputs",
        "The cache holds the inputs x, hidden_dim wide. It should hold the latents, kv_down(x), latent_dim wide.",
        caught_by=LATENTS,
        edits=[
            (DOWN, "latents = x\n"),
            ("self.k_up(latents)", "self.k_up(self.kv_down(latents))"),
            ("self.v_up(latents)", "self.v_up(self.kv_down(latents))"),
        ],
    ),
    Mistake(
        "new-latents-in-front",
        "The latents of the new tokens were put in front of the cached ones. Keep the order of the text: first the cached ones, then the new ones.",
        caught_by=CHUNKS,
        edits=[(CAT, "latents = torch.cat([latents, cache], dim=1)")],
    ),
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cache that was passed in is not used. Its latents go in front of the new ones.",
        caught_by=CHUNKS,
        edits=[("if cache is not None:", "if False:")],
    ),
    Mistake(
        "cache-holds-the-last-chunk",
        "The new cache holds the newest chunk only, so from the third chunk on the first tokens are forgotten. Return the joined latents.",
        caught_by=CHUNKS,
        edits=[(DOWN, DOWN + "        newest = latents\n"), (END, "return self.o_proj(context), newest")],
    ),
    Mistake(
        "first-cache-kept",
        "From the second chunk on, the cache that came in was returned unchanged. Return the joined latents.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else latents")],
    ),
    Mistake(
        "joined-along-the-width",
        "Old and new latents were joined along their width or the batch. They are joined along the tokens: dimension 1.",
        caught_by=CHUNKS,
        edits=[(CAT, "latents = torch.cat([cache, latents], dim=2)")],
    ),
    Mistake(
        "projected-again",
        "The cached latents went through kv_down a second time. Only x goes through kv_down.",
        caught_by=CHUNKS,
        edits=[
            (
                CAT,
                "latents = torch.cat([cache @ self.kv_down.weight[:, : cache.shape[-1]].T if cache.shape[-1] <= hidden_dim else cache, latents], dim=1)",
            )
        ],
    ),
    Mistake(
        "detached-cache-kept-in-the-module",
        "The latents are kept in the module, whatever cache is passed in, so two texts get mixed up. Use the cache that comes as an argument.",
        caught_by=REUSE,
        edits=[
            (CAT, "latents = torch.cat([self.kept, latents], dim=1)"),
            (PAST, "past = self.kept.shape[1]\n"),
            (END, "self.kept = latents\n        " + END),
        ],
    ),
    Mistake(
        "never-forgotten",
        "The module goes on with its last text although no cache was passed in. Without a cache a new text begins.",
        caught_by=REUSE,
        edits=[
            (START, START + '        cache = getattr(self, "kept", None) if cache is None else cache\n'),
            (END, "self.kept = latents\n        " + END),
        ],
    ),
    from_family("decoder", "kept-in-evaluation", "kept-in-training"),
    Mistake(
        "changed-in-place",
        "The cache that was passed in was changed, so no second text can continue from it. Put the joined latents into a new tensor.",
        caught_by=REUSE,
        edits=[(CAT, CAT + "\n            cache.detach().zero_()")],
    ),
    from_family("decoder", "only-out-returned", "pair-the-other-way-round"),
    # --- keys and values out of the latents
    Mistake(
        "ups-exchanged",
        "k_up and v_up are exchanged: keys are for the scores, values for the mixture.",
        caught_by=ONE_PASS,
        edits=[
            ("k = self.k_up(latents)", "k = self.v_up(latents)"),
            ("v = self.v_up(latents)", "v = self.k_up(latents)"),
        ],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values, v_up(latents).",
        caught_by=ONE_PASS,
        edits=[("self.v_up(latents)", "self.k_up(latents)")],
    ),
    Mistake(
        "values-as-keys",
        "The queries were compared with the values. They are compared with the keys, k_up(latents).",
        caught_by=ONE_PASS,
        edits=[("self.k_up(latents)", "self.v_up(latents)")],
    ),
    Mistake(
        "queries-from-latents",
        "The queries were made from the latents, too. They are q_proj(x): only keys and values are made from latents.",
        caught_by=ONE_PASS,
        edits=[
            (
                "q = self.q_proj(x)",
                "q = self.q_proj(F.pad(latents[:, past:], (0, max(0, hidden_dim - latents.shape[-1])))[..., :hidden_dim])",
            )
        ],
    ),
    Mistake(
        "latents-bent",
        "There is a ReLU (or the like) between kv_down and k_up, v_up. These are plain linear layers, one right after the other.",
        caught_by=ONE_PASS,
        edits=[(DOWN, "latents = F.relu(self.kv_down(x))\n")],
    ),
    # --- the mask
    from_family(
        "decoder",
        "mask-at-the-upper-left",
        "no-mask-with-a-cache",
        "new-tokens-hidden",
        "not-causal",
        "next-token-visible",
        "own-token-hidden",
        "lower-triangle-and-next",
        "mask-inverted",
        "mask-inverted-finite",
        "filled-with-zero",
        "mask-after-softmax",
        "filled-with-minus-100",
        "minus-100-added",
    ),
    # --- the attention
    from_family("scale", "no-scale", "averaged-and-scaled"),
    Mistake(
        "scale-from-latent-dim",
        "The scores are divided by √latent_dim. Queries and keys are head_dim wide, so it is √head_dim.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "self.kv_down.out_features**0.5")],
    ),
    from_family("scale", "scale-from-hidden-dim"),
    from_family("softmax", "softmax-over-queries", "divided-by-the-mean"),
    Mistake(
        "split-interleaved",
        "The width was split as (head_dim, heads), so a head got columns that lie apart. Each head is a run of neighbouring columns: split as "
        "(heads, head_dim).",
        caught_by=ONE_PASS,
        edits=[(SPLIT, ".unflatten(-1, (self.head_dim, self.nums_head)).permute(0, 3, 1, 2)")],
        everywhere=True,
    ),
    from_family("heads", "one-head"),
    from_family("decoder", "merge-without-transpose", "output-layer-unused"),
    # --- the layers
    from_family("layers", "with-bias"),
    from_family("heads", "no-divisibility-check"),
    from_family("decoder", "detached"),
    Mistake(
        "latents-detached",
        "No gradient comes back through the latents: .detach(), .data or torch.no_grad() cuts it off. The latents of new tokens must not be detached.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(DOWN, "latents = self.kv_down(x).detach()\n")],
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
        "heads", "merge-interleaved", "keys-wrong-axes", heads_axis="nums_head", joined="b, n, hidden_dim", keys="k"
    ),
    from_family("decoder", "residual-added"),
    Mistake(
        "split-without-transpose",
        "The projections were viewed as (b, heads, tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "Split the last axis first, then swap heads and tokens.",
        caught_by=ONE_PASS,
        edits=[(SPLIT, ".reshape(b, self.nums_head, -1, self.head_dim)")],
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
    from_family("heads", "keys-not-turned", keys="k"),
    from_family("layers", "queries-and-keys-swapped", queries="q", keys="k", last_two="2, 3"),
]
