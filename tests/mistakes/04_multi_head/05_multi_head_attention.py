from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula"
DROPOUT = "test_dropout_acts_in_training_only"
SOFTMAX = "F.softmax(scores, dim=-1)"
WEIGHTS = "weights = " + SOFTMAX
ROOT = "self.head_dim**0.5"
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
FILL = "self.mask[:n, :n], -torch.inf"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
END = "return self.out_proj(context)"
DIVIDES = 'assert d_out % num_heads == 0, "d_out must be divisible by num_heads"'

WORDS = {
    "main": MAIN,
    "root": ROOT,
    "width": "head_dim",
    "compared": "one head",
    "tokens": "n",
    "heads": "num_heads",
    "heads_axis": "num_heads",
    "viewed": "The projections were",
    "queries": "queries",
    "keys": "keys",
    "averaged": "the values it may see",
    "query_axis": "2",
    "x": "x",
    "values": "values",
    "to_keys": "W_key",
    "to_values": "W_value",
    "last_two": "2, 3",
    "end": END,
    "other": "earlier",
    "values_alone": "self.out_proj(self.W_value(x))",
    "missing": "Three steps are missing: weights · values, joining the heads, out_proj.",
    "inputs_check": "test_input_is_left_alone",
    "layer": "self.dropout",
    "acts": DROPOUT,
    "on_weights": "test_dropout_acts_on_the_weights",
    "on_output": DROPOUT,
    "returned": "self.out_proj(context)",
    "hide": HIDE,
    "rows": "heads",
    "wrong_layer": "Dropout2d",
    "model": "d_out",
    "joined": "b, n, self.d_out",
    "out": "out_proj",
    "zeros": "context",
    "fill": FILL,
    "weak_fill": "self.mask[:n, :n], -100.0",
    "taken_off": "scores = scores - 100.0 * self.mask[:n, :n]",
    "loud": "test_future_has_no_say",
}

MISTAKES = [
    # --- the scale
    from_family("scale", "no-scale"),
    Mistake(
        "scale-from-d-out",
        "The scores are divided by √d_out. A head compares vectors of width head_dim = d_out / num_heads, so it is √head_dim.",
        caught_by=MAIN,
        edits=[(ROOT, "self.d_out**0.5")],
    ),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by √d_in, the width of x. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by=MAIN,
        edits=[(ROOT, "x.shape[-1]**0.5")],
    ),
    from_family(
        "scale",
        "scale-from-heads",
        "scale-from-tokens",
        "divided-by-head-dim",
        "scale-upside-down",
        "scaled-after-softmax",
    ),
    # --- splitting and merging
    from_family(
        "heads",
        "split-without-transpose",
        "split-and-merged-without-transpose",
        "split-interleaved",
        "split-and-merged-interleaved",
        "heads-attend-to-heads",
        "merge-without-transpose",
        "merge-interleaved",
        "view-after-transpose",
        "keys-wrong-axes",
        "keys-all-axes-reversed",
        "heads-ignored",
    ),
    # --- the layers
    from_family("layers", "no-output-layer", "output-layer-unused"),
    Mistake(
        "output-layer-without-bias",
        "out_proj has no bias, or only with qkv_bias=True. It always has one: qkv_bias is for W_query, W_key and W_value.",
        caught_by=MAIN,
        edits=[("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=qkv_bias)")],
    ),
    from_family("layers", "always-a-bias", "never-a-bias"),
    Mistake(
        "one-head-wide",
        "The projections put out head_dim numbers, enough for a single head. They put out d_out, and that is split into heads.",
        caught_by=MAIN,
        edits=[("(d_in, d_out, bias", "(d_in, self.head_dim, bias")],
        everywhere=True,
    ),
    from_family(
        "layers",
        "keys-as-values",
        "keys-and-values-swapped",
        "queries-and-keys-swapped",
        "residual-added",
        "own-value-only",
    ),
    from_family("scale", "weights-all-alike"),
    from_family("layers", "zeros"),
    # --- the softmax
    from_family("causal_mask", "no-softmax"),
    from_family("softmax", "no-softmax-infinite", "softmax-over-queries", "softmax-over-heads", "softmax-over-batch"),
    from_family("softmax", "divided-by-the-mean"),
    from_family("scale", "averaged-and-scaled"),
    # --- the mask
    from_family("causal_mask", "no-mask", "own-token-hidden", "lower-triangle-and-next"),
    Mistake(
        "own-token-hidden-finite",
        "Each token hides itself as well (diagonal=0). Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0"), (FILL, "self.mask[:n, :n], -1e9")],
    ),
    Mistake(
        "own-token-hidden-zeroed",
        "Each token hides itself as well (diagonal=0), so the first one sees nothing and its weights became 0. Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0"), (WEIGHTS, WEIGHTS + ".nan_to_num(0.0)")],
    ),
    from_family(
        "causal_mask",
        "next-token-seen",
        "past-hidden",
        "mask-inverted",
        "mask-inverted-finite",
        "mask-inverted-fused",
        "mask-after-softmax",
        "infinity-after-softmax",
        "filled-with-zero",
        "filled-with-almost-zero",
        "mask-added",
        "mask-times-infinity",
        "mask-result-dropped",
        "mask-not-cropped",
        "mask-not-cropped-in-place",
        "mask-not-cropped-and-added",
    ),
    Mistake(
        "mask-cropped-at-the-end",
        "The last rows of the mask were used. A shorter input needs the upper left corner.",
        caught_by="test_context_may_be_longer_than_the_input",
        edits=[("self.mask[:n, :n]", "self.mask[-n:, :n]")],
    ),
    from_family("causal_mask", "mask-cropped-for-good", "mask-not-a-buffer", "mask-under-another-name"),
    Mistake(
        "mask-as-parameter",
        "The mask was made a parameter. It is not trained: use register_buffer.",
        caught_by=MAIN,
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
    ),
    # --- the dropout
    from_family("dropout", "dropout-in-eval", "no-dropout", "dropout-on-output"),
    Mistake(
        "dropout-on-output-as-well",
        "Dropout was applied to the weights, and once more to the output, as GPT's residual dropout does. Here the weights are all that is "
        "dropped.",
        caught_by=DROPOUT,
        edits=[(END, "return self.dropout(self.out_proj(context))")],
    ),
    Mistake(
        "dropout-on-context",
        "Dropout was applied to the joined heads. It belongs on the weights, between the softmax and the values.",
        caught_by="test_dropout_acts_on_the_weights",
        edits=[(DROP, ""), (END, "return self.out_proj(self.dropout(context))")],
    ),
    from_family(
        "dropout",
        "dropout-on-values",
        "dropout-on-scores",
        "dropout-fixed",
        "dropout-keeps-with-p",
        "dropped-twice",
        "normalised-after-dropout",
        "dropout-not-scaled",
        "dropout-nan-at-one",
        "dropped-whole-rows",
    ),
    # --- the rest
    Mistake(
        "sizes-not-checked",
        "A d_out that num_heads does not divide is accepted. Refuse it in `__init__`, with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "d-in-checked-instead",
        "The check looks at d_in. It is d_out that is split into heads, and d_in may be any size.",
        caught_by=MAIN,
        edits=[("assert d_out %", "assert d_in %")],
    ),
    from_family("layers", "weights-returned", "weights-returned-too"),
    from_family("softmax", "output-detached"),
    from_family("layers", "input-overwritten"),
    Mistake(
        "softmax-over-heads-finite",
        "The softmax runs over the heads (dim=1), so the heads share one weight. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(FILL, "self.mask[:n, :n], -1e9"), (SOFTMAX, "F.softmax(scores, dim=1)")],
    ),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    from_family("too_weak", "fill-of-minus-100", "minus-100-added"),
    # --- met in other people's code
    from_family("causal_mask", "mask-cropped-at-the-right"),
]
