from grader.judge.authoring import Mistake, kept_in_evaluation

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
SCALE = " / " + ROOT
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
CORNER = "self.mask[:n, :n]"
FILL = f"{CORNER}, -torch.inf"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
END = "return weights @ values"
LAYER = "nn.Linear(d_in, d_out, bias=qkv_bias)"

NOT_LOW_ENOUGH = (
    "What is filled in for hidden scores isn't low enough: when all scores are low, later tokens still get a little weight. "
    "Fill in minus infinity."
)
ALL_REVERSED = (
    "`.T` (or all axes reversed) turned the keys round in the batch axis too. Only the last two axes are exchanged: "
    "transpose(1, 2), or transpose(-2, -1)."
)
OWN_TOKEN = (
    "Each token hides itself as well (diagonal=0), and the first one has nothing left to look at. Begin at diagonal=1."
)

MISTAKES = [
    # --- the scale
    Mistake("no-scale", "The scores are not divided by √d_out.", caught_by=MAIN, edits=[(SCALE, "")]),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by √d_in, the width of x. The vectors that are compared have the width d_out.",
        caught_by=MAIN,
        edits=[(ROOT, "x.shape[-1]**0.5")],
    ),
    Mistake(
        "scale-from-tokens",
        "The scores are divided by the root of the number of tokens. It is √d_out, the width of a query.",
        caught_by=MAIN,
        edits=[(ROOT, "n**0.5")],
    ),
    Mistake(
        "divided-by-d-out",
        "The scores are divided by d_out, not by its root (or the root was applied twice).",
        caught_by=MAIN,
        edits=[(ROOT, "self.d_out")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √d_out where they should be divided by it.",
        caught_by=MAIN,
        edits=[(SCALE, " * " + ROOT)],
    ),
    Mistake(
        "scaled-after-softmax",
        "The weights were divided by √d_out after the softmax. Scale the scores before it: the weights must sum to 1.",
        caught_by=MAIN,
        edits=[(SCALE, ""), (SOFTMAX, SOFTMAX + SCALE)],
    ),
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
        "The keys were brought to (b, d_out, n) by reshape or view, which only cuts the same row of numbers at other places. "
        "transpose(1, 2) moves them.",
        caught_by=MAIN,
        edits=[("keys.transpose(1, 2)", "keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])")],
    ),
    Mistake(
        "columns-compared",
        "queriesᵀ · keys compares columns with columns, (d_out, d_out). Tokens are compared: queries · keysᵀ, (n, n).",
        caught_by=MAIN,
        edits=[(PRODUCT, "queries.transpose(1, 2) @ keys")],
    ),
    Mistake(
        "queries-and-keys-swapped",
        "The scores are keys · queriesᵀ, so rows and columns are exchanged. A row belongs to a query: queries · keysᵀ.",
        caught_by=MAIN,
        edits=[(PRODUCT, "keys @ queries.transpose(1, 2)")],
    ),
    Mistake(
        "inputs-compared",
        "The scores compare x with itself. They come from W_query(x) and W_key(x).",
        caught_by=MAIN,
        edits=[(PRODUCT, "x @ x.transpose(1, 2)")],
    ),
    Mistake(
        "queries-only",
        "The queries were compared with themselves. The other side of the scores are the keys, W_key(x).",
        caught_by=MAIN,
        edits=[("keys = self.W_key(x)", "keys = self.W_query(x)")],
    ),
    # --- the layers and what they are for
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values, W_value(x).",
        caught_by=MAIN,
        edits=[("values = self.W_value(x)", "values = self.W_key(x)")],
    ),
    Mistake(
        "keys-and-values-swapped",
        "W_key and W_value are exchanged: keys are for the scores, values for the mixture.",
        caught_by=MAIN,
        edits=[
            ("keys = self.W_key(x)", "keys = self.W_value(x)"),
            ("values = self.W_value(x)", "values = self.W_key(x)"),
        ],
    ),
    Mistake(
        "inputs-as-values",
        "The weights were applied to x itself. They belong on the values, W_value(x).",
        caught_by=MAIN,
        edits=[(END, "return weights @ x")],
    ),
    Mistake(
        "always-a-bias",
        "W_query, W_key and W_value have a bias although qkv_bias is False by default. Pass bias=qkv_bias to nn.Linear.",
        caught_by=MAIN,
        edits=[(", bias=qkv_bias", "")],
        everywhere=True,
    ),
    Mistake(
        "bias-by-default",
        "When nothing is said about it, the three layers have a bias. `qkv_bias` is False by default.",
        caught_by=MAIN,
        edits=[("qkv_bias: bool = False", "qkv_bias: bool = True")],
    ),
    Mistake(
        "never-a-bias",
        "qkv_bias is not used: W_query, W_key and W_value never have a bias. Pass bias=qkv_bias to nn.Linear.",
        caught_by="test_bias_when_asked_for",
        edits=[("bias=qkv_bias", "bias=False")],
        everywhere=True,
    ),
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
        "The layers have other names than W_query, W_key and W_value.",
        caught_by=MAIN,
        edits=[("self.W_", "self.linear_")],
        everywhere=True,
        same_as="plain-parameters",
    ),
    Mistake(
        "one-layer-for-all",
        "One layer does the work of all three: the same object stands under three names. Make three.",
        caught_by=MAIN,
        edits=[
            (f"self.W_key = {LAYER}", "self.W_key = self.W_query"),
            (f"self.W_value = {LAYER}", "self.W_value = self.W_query"),
        ],
    ),
    Mistake(
        "mask-as-parameter",
        "There are parameters too many. Is the mask one of them? It is nothing to train: use register_buffer. Only the three projections "
        "have parameters here; a layer behind the attention (out_proj) comes with several heads.",
        caught_by=MAIN,
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
    ),
    Mistake(
        "output-layer-added",
        "There are parameters too many. Only the three projections have any: a layer behind the attention (out_proj) comes with several heads, "
        "and the mask is a buffer.",
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
    Mistake(
        "own-value-only",
        "There is no attention: each token got its own value only. The values of the earlier tokens must be mixed in by the weights.",
        caught_by=MAIN,
        edits=[(END, "return values")],
    ),
    Mistake(
        "weights-all-alike",
        "Every token got the plain average of the values it may see. The weights come from softmax(queries · keysᵀ / √d_out).",
        caught_by=MAIN,
        edits=[(SCALE, " * 0")],
    ),
    Mistake(
        "zeros",
        "Zeros of the right shape came back. Return weights · values, of shape (b, n, d_out).",
        caught_by=MAIN,
        edits=[(END, "return torch.zeros_like(values)")],
    ),
    # --- the softmax
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights.",
        caught_by=MAIN,
        edits=[(FILL, f"{CORNER}, 0.0"), (SOFTMAX, "scores")],
    ),
    Mistake(
        "no-softmax-infinite",
        "There is no softmax: the scores, -inf for the hidden ones, were used as weights.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "scores")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=1). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores, dim=1)")],
    ),
    Mistake(
        "softmax-over-batch",
        "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores, dim=0)")],
    ),
    Mistake(
        "softmax-over-batch-finite",
        "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(FILL, f"{CORNER}, -1e9"), (SOFTMAX, "F.softmax(scores, dim=0)")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax was taken twice, so later tokens are back with a little weight. Once is enough.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(F.softmax(scores, dim=-1), dim=-1)")],
    ),
    # --- the mask
    Mistake(
        "no-mask",
        "Nothing is hidden: every token sees the later ones. Fill their scores with -inf before the softmax.",
        caught_by=MAIN,
        edits=[(HIDE, "")],
    ),
    Mistake("own-token-hidden", OWN_TOKEN, caught_by=MAIN, edits=[("diagonal=1", "diagonal=0")]),
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
    Mistake(
        "next-token-seen",
        "Each token still sees the next one (diagonal=2). Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "past-hidden",
        "The earlier tokens are hidden and the later ones seen (tril). Hide the upper triangle.",
        caught_by=MAIN,
        edits=[("torch.triu(", "torch.tril("), ("diagonal=1", "diagonal=-1")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`, so each token and the next one are hidden with the past. Keep the upper triangle.",
        caught_by=MAIN,
        edits=[("torch.triu(", "torch.tril(")],
    ),
    Mistake(
        "mask-inverted",
        "The mask is used the wrong way round: what should be seen is hidden. True (or 1) above the diagonal means hidden.",
        caught_by=MAIN,
        edits=[(FILL, f"~{FILL}")],
    ),
    Mistake(
        "mask-inverted-fused",
        'scaled_dot_product_attention reads True as "may be seen", the other way round than our mask. Invert it, or use is_causal=True.',
        caught_by=MAIN,
        edits=[(FILL, f"~{FILL}"), (WEIGHTS, WEIGHTS + ".nan_to_num(0.0)")],
    ),
    Mistake(
        "mask-inverted-finite",
        "The mask is used the wrong way round: what should be seen is hidden. True (or 1) above the diagonal means hidden.",
        caught_by=MAIN,
        edits=[(FILL, f"~{CORNER}, -1e9")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask was applied after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
        caught_by=MAIN,
        edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({CORNER}, 0.0)")],
    ),
    Mistake(
        "infinity-after-softmax",
        "The weights were filled with -inf after the softmax. Hide the scores, before it.",
        caught_by=MAIN,
        edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({FILL})")],
    ),
    Mistake(
        "filled-with-zero",
        "The hidden scores were set to 0, and exp(0) is 1: they still get a weight. Fill them with -inf.",
        caught_by=MAIN,
        edits=[(FILL, f"{CORNER}, 0.0")],
    ),
    Mistake(
        "filled-with-almost-zero",
        "The hidden scores were filled with a tiny number such as 1e-9 (-1e9 was meant?). They still get a weight.",
        caught_by=MAIN,
        edits=[(FILL, f"{CORNER}, 1e-9")],
        same_as="filled-with-zero",
    ),
    Mistake("fill-not-low-enough", NOT_LOW_ENOUGH, caught_by=LOW, edits=[(FILL, f"{CORNER}, -100.0")]),
    Mistake(
        "fill-far-from-low-enough",
        NOT_LOW_ENOUGH,
        caught_by=LOW,
        edits=[(FILL, f"{CORNER}, -10.0")],
    ),
    Mistake("fill-of-minus-20", NOT_LOW_ENOUGH, caught_by=LOW, edits=[(FILL, f"{CORNER}, -20.0")]),
    Mistake(
        "mask-added",
        "The mask of ones was added to the scores, which hides nothing. What is added must be -inf above the diagonal.",
        caught_by=MAIN,
        edits=[(HIDE, f"scores = scores + {CORNER}")],
    ),
    Mistake(
        "mask-times-infinity",
        "0 · inf is NaN: a triangle of ones times -inf is not a mask. Fill with masked_fill, or make a full -inf matrix and cut it.",
        caught_by=MAIN,
        edits=[(HIDE, f"scores = scores + {CORNER} * -torch.inf")],
    ),
    Mistake(
        "mask-result-dropped",
        "masked_fill returns a new tensor, and that was not kept. Assign it, or use masked_fill_ (with an underscore).",
        caught_by=MAIN,
        edits=[(HIDE, HIDE.removeprefix("scores = "))],
        same_as="no-mask",
    ),
    Mistake(
        "mask-not-cropped",
        "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens].",
        caught_by=LONGER,
        edits=[(CORNER, "self.mask")],
    ),
    Mistake(
        "mask-not-cropped-in-place",
        "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens].",
        caught_by=LONGER,
        edits=[(HIDE, "scores.masked_fill_(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-not-cropped-and-added",
        "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens].",
        caught_by=LONGER,
        edits=[(HIDE, "scores = scores + torch.zeros_like(self.mask).float().masked_fill(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
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
    Mistake(
        "mask-cropped-at-the-right",
        "The last columns of the mask were used. A shorter input needs the upper left corner.",
        caught_by=LONGER,
        edits=[(CORNER, "self.mask[:n, -n:]")],
    ),
    Mistake(
        "mask-cropped-for-good",
        "The cropped mask was stored in self.mask, so a longer input no longer fits afterwards. Crop into a local variable.",
        caught_by="test_calls_of_one_module_do_not_disturb_each_other",
        edits=[(HIDE, f"self.mask = {CORNER}\n        " + HIDE)],
    ),
    Mistake(
        "mask-not-a-buffer",
        "The mask is a plain attribute: it would stay behind when the module moves to a GPU. Use register_buffer.",
        caught_by=BUFFERED,
        edits=[(BUFFER, "self.mask = later")],
    ),
    Mistake(
        "mask-under-another-name",
        "The buffer is there, but not under the name `mask`.",
        caught_by=BUFFERED,
        edits=[(BUFFER, BUFFER.replace("mask", "causal_mask")), ("self.mask[", "self.causal_mask[")],
        same_as="mask-not-a-buffer",
    ),
    Mistake(
        "mask-made-in-forward",
        "The mask is made anew in every call. Make it once in `__init__`, with register_buffer, so that it moves along with the module.",
        caught_by=BUFFERED,
        edits=[(BUFFER, ""), (CORNER, "torch.ones(n, n).triu(1).bool()")],
        same_as="mask-not-a-buffer",
    ),
    # --- the dropout
    Mistake(
        "dropout-in-eval",
        "Weights are dropped in eval() too. nn.Dropout knows the mode; F.dropout needs training=self.training.",
        caught_by=DROPOUT,
        edits=[(DROP, "weights = F.dropout(weights, self.dropout.p)")],
    ),
    Mistake(
        "no-dropout",
        "`dropout` is not used: nothing is dropped in training. Apply nn.Dropout(dropout) to the weights.",
        caught_by=DROPOUT,
        edits=[(DROP, "")],
    ),
    Mistake(
        "dropout-result-dropped",
        "self.dropout(weights) returns new weights, and these were not kept. Assign them.",
        caught_by=DROPOUT,
        edits=[(DROP, "self.dropout(weights)")],
        same_as="no-dropout",
    ),
    Mistake(
        "dropout-on-output",
        "Dropout was applied to the output. It belongs on the weights, between the softmax and the values.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP, ""), (END, "return self.dropout(weights @ values)")],
    ),
    Mistake(
        "dropout-on-values",
        "Dropout was applied to the values. It belongs on the weights.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP, "values = self.dropout(values)")],
    ),
    Mistake(
        "dropout-on-scores",
        "Dropout was applied to the scores. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(HIDE, "scores = self.dropout(scores)\n        " + HIDE), (DROP, "")],
    ),
    Mistake(
        "dropout-on-masked-scores",
        "Dropout was applied to the masked scores, and it makes NaN of infinity times 0. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(HIDE, HIDE + "\n        scores = self.dropout(scores)"), (DROP, "")],
    ),
    Mistake(
        "dropout-on-input",
        "Dropout was applied to x. It belongs on the weights.",
        caught_by=ON_WEIGHTS,
        edits=[("n = x.shape[1]", "n = x.shape[1]\n        x = self.dropout(x)"), (DROP, "")],
    ),
    Mistake(
        "dropout-fixed",
        "The dropout is always 0.1. Use the `dropout` that was passed in.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
    ),
    Mistake(
        "dropout-by-default",
        "The dropout is always 0.5, the default of nn.Dropout. Pass `dropout` on to it.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout()")],
    ),
    Mistake(
        "dropout-keeps-with-p",
        "`dropout` was taken as the share to keep. It is the probability to drop a weight.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")],
    ),
    Mistake(
        "dropped-twice",
        "Dropout was applied twice. Once is enough, to the weights.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP, "weights = self.dropout(self.dropout(weights))")],
    ),
    Mistake(
        "dropped-again-at-the-end",
        "Dropout was applied to the weights, and to the output once more. The weights are enough.",
        caught_by=ON_WEIGHTS,
        edits=[(END, "return self.dropout(weights @ values)")],
    ),
    Mistake(
        "normalised-after-dropout",
        "The weights were divided by their sum again after the dropout. In training a row need not sum to 1.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP, DROP + "\n        weights = weights / weights.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "dropout-not-scaled",
        "The weights that are kept were not divided by 1 - p. nn.Dropout does that.",
        caught_by=ON_WEIGHTS,
        edits=[
            (
                DROP,
                "if self.training:\n            weights = weights * (torch.rand_like(weights) >= self.dropout.p)",
            )
        ],
    ),
    Mistake(
        "dropout-nan-at-one",
        "With dropout = 1 the weights that are kept would be divided by 0. None is kept, so all of them are plain zeros.",
        caught_by=DROPOUT,
        edits=[
            (
                DROP,
                "if self.training:\n            keep = torch.bernoulli(torch.full_like(weights, 1 - self.dropout.p))\n"
                "            weights = weights * keep / (1 - self.dropout.p)",
            )
        ],
    ),
    Mistake(
        "dropped-whole-rows",
        "Dropout1d or Dropout2d drops whole rows or sequences. Each single weight is dropped by itself: nn.Dropout.",
        caught_by=ON_WEIGHTS,
        edits=[("nn.Dropout(dropout)", "nn.Dropout1d(dropout)")],
    ),
    # --- the rest
    Mistake(
        "weights-returned",
        "The attention weights were returned. The last step is missing: weights · values.",
        caught_by=MAIN,
        edits=[(END, "return weights")],
    ),
    Mistake(
        "weights-returned-too",
        "The output came together with the weights. Return the output alone.",
        caught_by=MAIN,
        edits=[(END, END + ", weights")],
    ),
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
    Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() cuts the way back, so not everything can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, SOFTMAX + ".detach()")],
    ),
    Mistake(
        "input-overwritten",
        "x itself was changed (a method that ends in an underscore, +=, or an assignment into x). The caller still needs it.",
        caught_by="test_input_is_left_alone",
        edits=[(END, "x.data.mul_(2)\n        " + END)],
    ),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    Mistake(
        "minus-100-added",
        NOT_LOW_ENOUGH,
        caught_by=LOW,
        edits=[(HIDE, f"scores = scores - 100.0 * {CORNER}")],
        same_as="fill-not-low-enough",
    ),
]
