from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula"
LONGER = "test_context_may_be_longer_than_the_input"
LOW = "test_later_tokens_weigh_exactly_nothing"
DROPOUT = "test_dropout_acts_in_training_only"
ON_WEIGHTS = "test_dropout_acts_on_the_weights"
BUFFERED = "test_mask_is_a_buffer"
SOFTMAX = "F.softmax(scores, dim=-1)"
WEIGHTS = "weights = " + SOFTMAX
PRODUCT = "queries @ keys.transpose(1, 2)"
ROOT = "self.d_out**0.5"
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
CORNER = "self.mask[:n, :n]"
FILL = f"{CORNER}, -torch.inf"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
END = "return weights @ values"
LAYER = "nn.Linear(d_in, d_out, bias=qkv_bias)"

NOT_LOW_ENOUGH = "The hidden scores are not far enough below the visible ones, so later tokens still get a little weight. Fill in minus infinity."
ALL_REVERSED = (
    "`.T` (or a reversal of all axes) exchanged the keys' batch axis too. Only the last two axes are exchanged: transpose(1, 2), or "
    "transpose(-2, -1)."
)
OWN_TOKEN = (
    "Each token hides itself as well (diagonal=0), and the first one has no token left to look at. Begin at diagonal=1."
)

WORDS = {
    "main": MAIN,
    "root": ROOT,
    "width": "d_out",
    "compared": "a query",
    "tokens": "n",
    "queries": "queries",
    "keys": "keys",
    "averaged": "the values it may see",
    "query_axis": "1",
    "x": "x",
    "values": "values",
    "to_keys": "W_key",
    "to_values": "W_value",
    "last_two": "1, 2",
    "end": END,
    "other": "earlier",
    "values_alone": "values",
    "missing": "The last step is missing: weights · values.",
    "inputs_check": "test_input_is_left_alone",
    "layer": "self.dropout",
    "acts": DROPOUT,
    "on_weights": ON_WEIGHTS,
    "on_output": ON_WEIGHTS,
    "returned": "weights @ values",
    "hide": HIDE,
    "rows": "sequences",
    "wrong_layer": "Dropout1d",
    "to_queries": "W_query",
    "asking": "queries = self.",
    "asked": "(x)",
    "labelling": "keys = self.",
    "labelled": "(x)",
    "telling": "values = self.",
    "told": "(x)",
    "softmax": SOFTMAX,
    "scores": "scores",
    "example": "d_in = 3 and d_out = 2",
    "of_the_example": "nn.Linear(3, 2, bias=qkv_bias)",
    "gradients_check": "test_gradients_reach_input_and_parameters",
}

MISTAKES = [
    # --- the scale
    from_family("scale", "no-scale"),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by √d_in, the width of x. The vectors that are compared have the width d_out.",
        caught_by=MAIN,
        edits=[(ROOT, "x.shape[-1]**0.5")],
    ),
    from_family("scale", "scale-from-tokens"),
    Mistake(
        "divided-by-d-out",
        "The scores are divided by d_out, not by its root (or the root was applied twice).",
        caught_by=MAIN,
        edits=[(ROOT, "self.d_out")],
    ),
    from_family("scale", "averaged-and-scaled", "scale-upside-down", "scaled-after-softmax"),
    # --- the scores
    Mistake("keys-t", ALL_REVERSED, caught_by=MAIN, edits=[("keys.transpose(1, 2)", "keys.permute(2, 1, 0)")]),
    Mistake(
        "keys-transposed-0-1",
        "transpose(0, 1) exchanges batch and tokens of the keys. Exchange the last two axes: transpose(1, 2).",
        caught_by=MAIN,
        edits=[("keys.transpose(1, 2)", "keys.transpose(0, 1)")],
    ),
    Mistake(
        "keys-transposed-0-2",
        ALL_REVERSED,
        caught_by=MAIN,
        edits=[("keys.transpose(1, 2)", "keys.transpose(0, 2)")],
        same_as="keys-t",
    ),
    Mistake(
        "keys-not-transposed",
        "The keys were not transposed at all. The scores are queries · keysᵀ: transpose(1, 2).",
        caught_by=MAIN,
        edits=[("keys.transpose(1, 2)", "keys")],
    ),
    Mistake(
        "keys-reshaped",
        "The keys were brought to (b, d_out, n) by reshape or view, which keeps the numbers in their old order, in rows of another length. "
        "transpose(1, 2) exchanges the axes.",
        caught_by=MAIN,
        edits=[("keys.transpose(1, 2)", "keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])")],
    ),
    Mistake(
        "columns-compared",
        "queriesᵀ · keys compares columns with columns, (d_out, d_out). Tokens are compared: queries · keysᵀ, (n, n).",
        caught_by=MAIN,
        edits=[(PRODUCT, "queries.transpose(1, 2) @ keys")],
    ),
    from_family("layers", "queries-and-keys-swapped"),
    Mistake(
        "inputs-compared",
        "The scores compare x with itself. They come from W_query(x) and W_key(x).",
        caught_by=MAIN,
        edits=[(PRODUCT, "x @ x.transpose(1, 2)")],
    ),
    Mistake(
        "queries-only",
        "Queries are compared with queries: the keys come from W_query, or have no part in the scores. They come from W_key.",
        caught_by=MAIN,
        edits=[("keys = self.W_key(x)", "keys = self.W_query(x)")],
    ),
    # --- the layers and what they are for
    from_family("layers", "keys-as-values", "keys-and-values-swapped"),
    Mistake(
        "inputs-as-values",
        "The weights were applied to x itself. They belong on the values, W_value(x).",
        caught_by=MAIN,
        edits=[(END, "return weights @ x")],
    ),
    from_family("layers", "always-a-bias"),
    Mistake(
        "bias-by-default",
        "When nothing is said about it, the three layers have a bias. `qkv_bias` is False by default.",
        caught_by=MAIN,
        edits=[("qkv_bias: bool = False", "qkv_bias: bool = True")],
    ),
    from_family("layers", "never-a-bias"),
    Mistake(
        "widths-exchanged",
        "d_in and d_out are exchanged in nn.Linear: first what comes in, then what goes out.",
        caught_by=MAIN,
        edits=[(LAYER, "nn.Linear(d_out, d_in, bias=qkv_bias)")],
        everywhere=True,
    ),
    Mistake(
        "plain-parameters",
        "The parameters have other names than W_query.weight, W_key.weight and W_value.weight. These come from three nn.Linear layers named "
        "W_query, W_key and W_value; an nn.Parameter has no `.weight`.",
        caught_by=MAIN,
        edits=[
            (LAYER, "nn.Parameter(torch.rand(d_in, d_out))"),
            ("queries = self.W_query(x)", "queries = x @ self.W_query"),
            ("keys = self.W_key(x)", "keys = x @ self.W_key"),
            ("values = self.W_value(x)", "values = x @ self.W_value"),
        ],
        everywhere=True,
    ),
    Mistake(
        "other-names",
        "The layers have other names than W_query, W_key and W_value. Call them so.",
        caught_by=MAIN,
        edits=[("self.W_", "self.linear_")],
        everywhere=True,
        same_as="plain-parameters",
    ),
    Mistake(
        "one-layer-for-all",
        "One and the same layer is used under all three names. Make three layers.",
        caught_by=MAIN,
        edits=[
            (f"self.W_key = {LAYER}", "self.W_key = self.W_query"),
            (f"self.W_value = {LAYER}", "self.W_value = self.W_query"),
        ],
    ),
    Mistake(
        "mask-as-parameter",
        "There are too many parameters. Is the mask one of them? It is not trained: use register_buffer. Only the three projections "
        "have parameters here; a layer behind the attention (out_proj) comes with several heads.",
        caught_by=MAIN,
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
    ),
    Mistake(
        "output-layer-added",
        "There are too many parameters. Only the three projections have any: a layer behind the attention (out_proj) comes with several "
        "heads, and the mask is a buffer.",
        caught_by=MAIN,
        edits=[
            (BUFFER, BUFFER + "\n        self.out_proj = nn.Linear(d_out, d_out)"),
            (END, "return self.out_proj(weights @ values)"),
        ],
        same_as="mask-as-parameter",
    ),
    Mistake(
        "residual-added",
        "x was added to the result, which also needs d_in = d_out. That belongs to the block around the attention, not into it.",
        caught_by=MAIN,
        edits=[(END, END + " + x")],
    ),
    from_family("layers", "own-value-only"),
    from_family("scale", "weights-all-alike"),
    Mistake(
        "zeros",
        "Zeros of the right shape came back. Return weights · values, of shape (b, n, d_out).",
        caught_by=MAIN,
        edits=[(END, "return torch.zeros_like(values)")],
    ),
    # --- the softmax
    from_family("causal_mask", "no-softmax"),
    from_family("softmax", "no-softmax-infinite", "softmax-over-queries", "softmax-over-batch", "divided-by-the-mean"),
    Mistake(
        "softmax-over-batch-finite",
        "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(FILL, f"{CORNER}, -1e9"), (SOFTMAX, "F.softmax(scores, dim=0)")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax was taken twice. The second one gives the later tokens weight again, for exp(0) is 1. Once is enough.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(F.softmax(scores, dim=-1), dim=-1)")],
    ),
    # --- the mask
    from_family("causal_mask", "no-mask", "own-token-hidden"),
    Mistake(
        "own-token-hidden-finite",
        OWN_TOKEN,
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0"), (FILL, f"{CORNER}, -1e9")],
    ),
    Mistake(
        "own-token-hidden-zeroed",
        OWN_TOKEN,
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0"), (WEIGHTS, WEIGHTS + ".nan_to_num(0.0)")],
    ),
    from_family("causal_mask", "next-token-seen", "past-hidden", "lower-triangle-and-next"),
    from_family(
        "causal_mask",
        "mask-inverted",
        "mask-inverted-fused",
        "mask-inverted-finite",
        "mask-after-softmax",
        "infinity-after-softmax",
        "filled-with-zero",
        "filled-with-almost-zero",
    ),
    Mistake("fill-not-low-enough", NOT_LOW_ENOUGH, caught_by=LOW, edits=[(FILL, f"{CORNER}, -100.0")]),
    Mistake(
        "fill-far-from-low-enough",
        NOT_LOW_ENOUGH,
        caught_by=LOW,
        edits=[(FILL, f"{CORNER}, -10.0")],
    ),
    Mistake("fill-of-minus-20", NOT_LOW_ENOUGH, caught_by=LOW, edits=[(FILL, f"{CORNER}, -20.0")]),
    from_family(
        "causal_mask",
        "mask-added",
        "mask-times-infinity",
        "mask-result-dropped",
        "mask-not-cropped",
        "mask-not-cropped-in-place",
        "mask-not-cropped-and-added",
    ),
    Mistake(
        "mask-rows-not-cropped",
        "Only one axis of the mask was cropped. A shorter input needs as many rows and columns as it has tokens.",
        caught_by=LONGER,
        edits=[(CORNER, "self.mask[:n]")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-cropped-at-the-end",
        "The last rows of the mask were used. A shorter input needs the upper left corner.",
        caught_by=LONGER,
        edits=[(CORNER, "self.mask[-n:, :n]")],
    ),
    from_family("causal_mask", "mask-cropped-at-the-right"),
    from_family("causal_mask", "mask-cropped-for-good", "mask-not-a-buffer", "mask-under-another-name"),
    Mistake(
        "mask-made-in-forward",
        "The mask is made anew in every call. Make it once in `__init__`, with register_buffer, so that it moves along with the module.",
        caught_by=BUFFERED,
        edits=[(BUFFER, ""), (CORNER, "torch.ones(n, n).triu(1).bool()")],
        same_as="mask-not-a-buffer",
    ),
    # --- the dropout
    from_family("dropout", "dropout-in-eval", "no-dropout"),
    Mistake(
        "dropout-result-dropped",
        "self.dropout(weights) returns new weights, and these were not kept. Assign them.",
        caught_by=DROPOUT,
        edits=[(DROP, "self.dropout(weights)")],
        same_as="no-dropout",
    ),
    from_family("dropout", "dropout-on-output", "dropout-on-values", "dropout-on-scores"),
    Mistake(
        "dropout-on-masked-scores",
        "Dropout was applied to the masked scores, where minus infinity times 0 is NaN. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(HIDE, HIDE + "\n        scores = self.dropout(scores)"), (DROP, "")],
    ),
    Mistake(
        "dropout-on-input",
        "Dropout was applied to x. It belongs on the weights.",
        caught_by=ON_WEIGHTS,
        edits=[("n = x.shape[1]", "n = x.shape[1]\n        x = self.dropout(x)"), (DROP, "")],
    ),
    from_family("dropout", "dropout-fixed"),
    Mistake(
        "dropout-by-default",
        "The dropout is always 0.5, the default of nn.Dropout. Pass `dropout` on to it.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout()")],
    ),
    from_family("dropout", "dropout-keeps-with-p", "dropped-twice"),
    Mistake(
        "dropped-again-at-the-end",
        "Dropout was applied to the weights, and to the output once more. The weights are enough.",
        caught_by=ON_WEIGHTS,
        edits=[(END, "return self.dropout(weights @ values)")],
    ),
    from_family(
        "dropout", "normalised-after-dropout", "dropout-not-scaled", "dropout-nan-at-one", "dropped-whole-rows"
    ),
    # --- the rest
    from_family("layers", "weights-returned", "weights-returned-too"),
    Mistake(
        "no-batch-axis",
        "The number of tokens was read from the first axis, which is the batch. It is the second one.",
        caught_by=MAIN,
        edits=[("n = x.shape[1]", "n = x.shape[0]")],
    ),
    Mistake(
        "float32-only",
        "The result is always float32. Keep the dtype that comes in: a module of float64 gives float64.",
        caught_by=MAIN,
        edits=[(END, f"return ({END.removeprefix('return ')}).float()")],
    ),
    from_family("softmax", "output-detached"),
    from_family("layers", "input-overwritten"),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    Mistake(
        "minus-100-added",
        NOT_LOW_ENOUGH,
        caught_by=LOW,
        edits=[(HIDE, f"scores = scores - 100.0 * {CORNER}")],
        same_as="fill-not-low-enough",
    ),
    # --- the layers mixed up
    from_family(
        "projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
        "keys-from-the-value-layer",
        "values-from-the-query-layer",
        "queries-and-values-exchanged",
        "each-from-the-next-layer",
        "each-from-the-layer-before",
    ),
    # --- more fills and softmaxes
    from_family(
        "causal_mask",
        "filled-with-plus-infinity",
        "filled-with-plus-1e9",
        "filled-with-minus-one",
        "mask-transposed",
        "past-hidden-finite",
        "masked-scores-made-zero",
        "visible-scores-made-zero",
        "no-softmax-and-minus-1e9",
        "no-softmax-and-lowest-number",
    ),
    from_family(
        "instead_of_softmax",
        "log-weights",
        "not-divided",
        "not-divided-less-the-maximum",
        "sigmoid",
        "softmax-over-each-sequence",
        "softmax-over-everything",
    ),
    # --- what becomes of the result
    from_family(
        "results",
        "squeezed",
        "squeezed-tokens",
        "squeezed-in-front",
        "squeezed-width",
        "only-the-last-token",
        "only-the-first-token",
        "only-the-first-sequence",
        "tokens-averaged",
        "tokens-added-up",
        "result-transposed",
        "result-of-float64",
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · values.",
        caught_by=MAIN,
        edits=[(END, "return weights.transpose(1, 2) @ values")],
    ),
    Mistake(
        "rounded-root",
        "√d_out was rounded down to a whole number (int, //, isqrt). Divide by the root as it is.",
        caught_by=MAIN,
        edits=[(ROOT, "int(self.d_out**0.5)")],
    ),
    Mistake(
        "scale-from-context-length",
        "The scores are divided by the root of context_length. The vectors that are compared have the width d_out.",
        caught_by=MAIN,
        edits=[(ROOT, "self.mask.shape[0] ** 0.5")],
    ),
    Mistake(
        "scaled-twice-after-the-mask",
        "The masked scores were scaled a second time, as if by d_out. Divide by √d_out once.",
        caught_by=MAIN,
        edits=[(SOFTMAX, f"F.softmax(scores / {ROOT}, dim=-1)")],
        same_as="divided-by-d-out",
    ),
    from_family("projections", "layers-frozen", "sizes-of-the-example", layer=LAYER),
    from_family("results", "tokens-and-width-joined", "batch-and-tokens-joined", "result-of-float16"),
    Mistake(
        "minus-10-added",
        "10 was taken off the hidden scores, so later tokens still get some weight. Fill in minus infinity.",
        caught_by=MAIN,
        edits=[(HIDE, f"scores = scores - 10.0 * {CORNER}")],
    ),
    Mistake(
        "minus-1000-without-softmax",
        "There is no softmax: the scores, 1000 lower where they are hidden, were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(HIDE, f"scores = scores - 1000.0 * {CORNER}"), (SOFTMAX, "scores")],
    ),
    from_family(
        "projections",
        "layers-q-q-q",
        "layers-q-q-k",
        "layers-q-v-q",
        "layers-k-q-q",
        "layers-k-q-k",
        "layers-k-k-q",
        "layers-k-k-k",
        "layers-k-v-k",
        "layers-k-v-v",
        "layers-v-q-q",
        "layers-v-q-v",
        "layers-v-k-k",
        "layers-v-v-q",
        "layers-v-v-k",
        "layers-v-v-v",
    ),
]
