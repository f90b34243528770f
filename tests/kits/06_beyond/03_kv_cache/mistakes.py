from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
CAT_K, CAT_V = "torch.cat([past_k, k], dim=2)", "torch.cat([past_v, v], dim=2)"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
ROOT = "self.head_dim**0.5"
MERGE = "(weights @ v).transpose(1, 2).reshape(b, n, hidden_dim)"
END = "return self.o_proj(context), (k, v)"
PAST = "        past = 0\n"
VIEW = ".view(in_heads).transpose(1, 2)"
START = "        b, n, hidden_dim = x.shape\n"

WORDS = {
    "main": ONE_PASS,
    "root": ROOT,
    "width": "head_dim",
    "query_axis": "2",
    "values": "v",
    "keys": "k",
    "to_keys": "k_proj",
    "to_values": "v_proj",
    "x": "x",
    "model": "hidden_dim",
    "cache": "(k, v)",
    "shape_check": "test_shape_of_one_pass",
    "viewed": "The projections were",
    "heads": "nums_head",
    "heads_axis": "heads",
    "tokens": "n",
    "fill": HIDE,
    "weak_fill": "scores = scores.masked_fill(later, -100.0)",
    "hide": HIDE,
    "taken_off": "scores = scores - 100.0 * later",
    "loud": ONE_PASS,
    "asks": "self.q_proj(x)",
    "answers": "self.k_proj(x)",
    "mixed": "self.v_proj(x)",
    "result": "self.o_proj(context)",
    "single": ONE_PASS,
    "double": ONE_PASS,
    "q": "q",
    "v": "v",
    "split_q": ".view(in_heads).transpose(1, 2)",
    "unsplit_q": ".view(b, self.nums_head, n, self.head_dim)",
    "split": ".view(in_heads).transpose(1, 2)",
    "unsplit": ".view(b, self.nums_head, n, self.head_dim)",
    "last": "o_proj",
}

MISTAKES = [
    # --- the cache
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cache that was passed in is not used, or was put after the new tokens, where the mask hides it. "
        "Its keys and values go in front of the new ones.",
        caught_by=CHUNKS,
        edits=[("if cache is not None:", "if False:")],
    ),
    Mistake(
        "cache-holds-the-last-chunk",
        "The new cache holds only the newest chunk, so from the third chunk on the first tokens are forgotten. Return the joined keys "
        "and values.",
        caught_by=CHUNKS,
        edits=[
            (PAST, PAST + "        newest = (k, v)\n"),
            (END, "return self.o_proj(context), newest"),
        ],
    ),
    Mistake(
        "first-cache-kept",
        "From the second chunk on, the cache that came in was returned unchanged, so the third chunk does not see the second. Return the joined "
        "keys and values.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else (k, v)")],
    ),
    from_family("decoder", "mask-at-the-upper-left", "no-mask-with-a-cache"),
    Mistake(
        "no-mask-at-first",
        "The first chunk is not masked. It needs the causal mask like every chunk of more than one token.",
        caught_by=ONE_PASS,
        edits=[(HIDE, "scores = scores.masked_fill(later, -torch.inf) if past else scores")],
    ),
    Mistake(
        "offset-one-too-far",
        "With a cache each new token also sees the one right after it. New token i sees the tokens 0 to past + i.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=past + 1 + (past > 0))")],
    ),
    from_family("decoder", "new-tokens-hidden", "new-tokens-in-front"),
    Mistake(
        "new-keys-in-front",
        "The new keys were put in front of the cached ones, but the new values after them, so keys and values of different tokens meet.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([k, past_k], dim=2)")],
    ),
    Mistake(
        "new-values-in-front",
        "The new values were put in front of the cached ones, but the new keys after them, so keys and values of different tokens meet.",
        caught_by=CHUNKS,
        edits=[(CAT_V, "torch.cat([v, past_v], dim=2)")],
    ),
    Mistake(
        "cached-keys-and-values-swapped",
        "Keys and values are exchanged in the cache: stored as (k, v), read as (v, k), or the other way round.",
        caught_by=CHUNKS,
        edits=[("past_k, past_v = cache", "past_v, past_k = cache")],
    ),
    Mistake(
        "keys-twice-in-the-cache",
        "The cache holds the keys twice: the cached values are missing.",
        caught_by=CHUNKS,
        edits=[("self.o_proj(context), (k, v)", "self.o_proj(context), (k, k)")],
    ),
    Mistake(
        "values-twice-in-the-cache",
        "The cache holds the values twice: the cached keys are missing.",
        caught_by=CHUNKS,
        edits=[("self.o_proj(context), (k, v)", "self.o_proj(context), (v, v)")],
    ),
    Mistake(
        "joined-along-the-wrong-axis",
        "Cached and new keys were joined along the heads or the batch. They are joined along the tokens: dimension 2 after the split "
        "into heads.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([past_k, k], dim=1)"), (CAT_V, "torch.cat([past_v, v], dim=1)")],
    ),
    Mistake(
        "only-the-cache-is-seen",
        "With a cache the new tokens see only the cached ones. New token i sees the tokens 0 to past + i: the cached ones, earlier new ones, and "
        "itself.",
        caught_by=CHUNKS,
        edits=[
            (
                HIDE,
                HIDE + "\n        if past:\n            scores = scores[..., :past]",
            ),
            (MERGE, "(weights @ v[:, :, : weights.shape[-1]]).transpose(1, 2).reshape(b, n, hidden_dim)"),
        ],
    ),
    Mistake(
        "projected-again",
        "The cached keys and values went through k_proj and v_proj a second time. In the cache they are projected already.",
        caught_by=CHUNKS,
        edits=[
            (
                "            past = past_k.shape[2]\n",
                "            past = past_k.shape[2]\n"
                "            past_k = self.k_proj(past_k.transpose(1, 2).flatten(2)).unflatten(2, in_heads[2:]).transpose(1, 2)\n"
                "            past_v = self.v_proj(past_v.transpose(1, 2).flatten(2)).unflatten(2, in_heads[2:]).transpose(1, 2)\n",
            )
        ],
    ),
    from_family("decoder", "changed-in-place"),
    Mistake(
        "kept-in-the-module",
        "Keys and values are kept in the module, whatever cache is passed in, so two texts read by turns get mixed up. Use the cache that "
        "comes as an argument.",
        caught_by=REUSE,
        edits=[
            (
                "            past_k, past_v = cache\n",
                "            past_k, past_v = self.kept\n",
            ),
            (END, "self.kept = (k, v)\n        return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "never-forgotten",
        "The module goes on with its last text although no cache was passed in. Without a cache a new text begins.",
        caught_by=REUSE,
        edits=[
            (START, START + '        cache = getattr(self, "kept", None)\n'),
            (END, "self.kept = (k, v)\n        return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "whole-text-returned",
        "With a cache the outputs of all tokens so far came back. `out` has the new tokens only.",
        caught_by=CHUNKS,
        edits=[
            (START, "        new = x\n        x = x if cache is None else torch.cat([cache, x], dim=1)\n" + START),
            ("if cache is not None:", "if False:"),
            (END, "return self.o_proj(context), x"),
        ],
    ),
    Mistake(
        "queries-cached-too",
        "The queries were joined with cached ones as well. Only the new tokens ask: `out` has the new tokens only.",
        caught_by=CHUNKS,
        edits=[
            (
                "past_k, past_v = cache\n",
                "past_q, past_k, past_v = cache\n            q = torch.cat([past_q, q], dim=2)\n",
            ),
            (
                "torch.ones(n, past + n, dtype=torch.bool)" + OFFSET,
                "torch.ones(past + n, past + n, dtype=torch.bool).triu(1)",
            ),
            (MERGE, "(weights @ v).transpose(1, 2).reshape(b, past + n, hidden_dim)"),
            (END, "return self.o_proj(context), (q, k, v)"),
        ],
        same_as="whole-text-returned",
    ),
    from_family("decoder", "only-out-returned", "pair-the-other-way-round"),
    # --- the attention itself
    from_family("decoder", "not-causal", "next-token-visible"),
    Mistake(
        "diagonal-hidden",
        "A token does not see itself. The hidden triangle begins one column further right: diagonal=past + 1.",
        caught_by=ONE_PASS,
        edits=[(OFFSET, ".triu(diagonal=past)")],
    ),
    from_family("decoder", "mask-after-softmax", "lower-triangle-and-next", "filled-with-zero"),
    from_family("decoder", "mask-inverted", "mask-inverted-finite"),
    from_family("scale", "no-scale", "scale-from-hidden-dim"),
    Mistake(
        "divided-by-head-dim",
        "The scores are divided by head_dim, not by its root.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "self.head_dim")],
    ),
    from_family("softmax", "softmax-over-queries", "divided-by-the-mean"),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, v_proj(x).",
        caught_by=ONE_PASS,
        edits=[("self.v_proj(x)", "self.k_proj(x)")],
    ),
    Mistake(
        "values-as-keys",
        "The keys come from v_proj. They come from k_proj(x); v_proj is for what is mixed.",
        caught_by=ONE_PASS,
        edits=[("k = self.k_proj(x)", "k = self.v_proj(x)")],
    ),
    from_family("layers", "keys-and-values-swapped"),
    from_family("heads", "split-without-transpose"),
    from_family("decoder", "merge-without-transpose"),
    Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head.",
        caught_by=ONE_PASS,
        edits=[
            (VIEW, ".view(b, self.nums_head, n, self.head_dim)"),
            (MERGE, "(weights @ v).reshape(b, n, hidden_dim)"),
        ],
        everywhere=True,
    ),
    from_family("decoder", "output-layer-unused"),
    from_family("layers", "no-bias"),
    from_family("heads", "no-divisibility-check"),
    from_family("decoder", "detached"),
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off. The k "
        "and v that this call computes with must not be detached; those in the cache may be.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(PAST, PAST + "        k, v = k.detach(), v.detach()\n")],
    ),
    from_family("softmax", "weights-detached"),
    Mistake(
        "input-overwritten",
        "x was changed in place. The caller still needs it: work on a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(END, END.replace("return ", "out = ") + "\n        x.detach().mul_(0.5)\n        return out")],
    ),
    from_family("too_weak", "fill-of-minus-100", "minus-100-added"),
    kept_in_evaluation(REUSE),
    # --- met in other people's code
    from_family(
        "scale",
        "scale-upside-down",
        "scaled-after-softmax",
        "scale-from-heads",
        "scale-from-tokens",
        compared="one head",
    ),
    from_family("softmax", "no-softmax-infinite", "softmax-over-heads", "softmax-over-batch"),
    from_family("softmax", "dropout-of-its-own", in_training=REUSE),
    from_family(
        "heads",
        "split-interleaved",
        "split-and-merged-interleaved",
        "heads-attend-to-heads",
        "merge-interleaved",
        "keys-wrong-axes",
        "one-head",
        heads_axis="nums_head",
        joined="b, n, hidden_dim",
    ),
    from_family("layers", "output-layer-without-a-bias", out="o_proj"),
    from_family("layers", "projections-without-a-bias"),
    from_family("decoder", "residual-added"),
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
    from_family("heads", "keys-not-turned"),
    from_family("layers", "queries-and-keys-swapped", queries="q", keys="k", last_two="2, 3"),
]
