from grader.judge.authoring import Mistake, kept_in_evaluation

MAIN = "test_agrees_with_formula"
DROPOUT = "test_dropout_acts_in_training_only"
SOFTMAX = "F.softmax(scores, dim=-1)"
WEIGHTS = "weights = " + SOFTMAX
ROOT = "self.head_dim**0.5"
SCALE = " / " + ROOT
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
FILL = "self.mask[:n, :n], -torch.inf"
LATER = "torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1)"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
CONTEXT = "(weights @ values).transpose(1, 2).reshape(b, n, self.d_out)"
END = "return self.out_proj(context)"
VIEW = ".view(in_heads).transpose(1, 2)"
ALL_IN_ONE = ".view(b, self.num_heads, n, self.head_dim)"
DIVIDES = 'assert d_out % num_heads == 0, "d_out must be divisible by num_heads"'

MISTAKES = [
    # --- the scale
    Mistake(
        "no-scale",
        "The scores are not divided by √head_dim.",
        caught_by=MAIN,
        edits=[(SCALE, "")],
    ),
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
    Mistake(
        "scale-from-heads",
        "The scores are divided by the root of the number of heads. It is √head_dim, the width of one head.",
        caught_by=MAIN,
        edits=[(ROOT, "self.num_heads**0.5")],
    ),
    Mistake(
        "scale-from-tokens",
        "The scores are divided by the root of the number of tokens. It is √head_dim, the width of one head.",
        caught_by=MAIN,
        edits=[(ROOT, "n**0.5")],
    ),
    Mistake(
        "divided-by-head-dim",
        "The scores are divided by head_dim, not by its root (or the root was applied twice).",
        caught_by=MAIN,
        edits=[(ROOT, "self.head_dim")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √head_dim where they should be divided by it.",
        caught_by=MAIN,
        edits=[(SCALE, " * " + ROOT)],
    ),
    Mistake(
        "scaled-after-softmax",
        "The weights were divided by √head_dim after the softmax. Scale the scores before it: the weights must sum to 1.",
        caught_by=MAIN,
        edits=[(SCALE, ""), (SOFTMAX, SOFTMAX + SCALE)],
    ),
    # --- splitting and merging
    Mistake(
        "split-without-transpose",
        "The projections were viewed as (b, num_heads, n, head_dim) at once, which puts parts of several tokens into one head. "
        "View as (b, n, num_heads, head_dim), then swap dimensions 1 and 2.",
        caught_by=MAIN,
        edits=[(VIEW, ALL_IN_ONE)],
        everywhere=True,
    ),
    Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head. "
        "View as (b, n, num_heads, head_dim), swap dimensions 1 and 2, and undo both in the reverse order.",
        caught_by=MAIN,
        edits=[(VIEW, ALL_IN_ONE), (".transpose(1, 2).reshape(", ".reshape(")],
        everywhere=True,
    ),
    Mistake(
        "split-interleaved",
        "Each head took every num_heads-th column. A head is a run of neighbouring columns: view(b, n, num_heads, head_dim).",
        caught_by=MAIN,
        edits=[(VIEW, ".view(b, n, self.head_dim, self.num_heads).permute(0, 3, 1, 2)")],
        everywhere=True,
    ),
    Mistake(
        "split-and-merged-interleaved",
        "Each head took every num_heads-th column, and the merge put them back in the same way. "
        "A head is a run of neighbouring columns: view(b, n, num_heads, head_dim).",
        caught_by=MAIN,
        edits=[
            (VIEW, ".view(b, n, self.head_dim, self.num_heads).permute(0, 3, 1, 2)"),
            (".transpose(1, 2).reshape(", ".permute(0, 2, 3, 1).reshape("),
        ],
        everywhere=True,
    ),
    Mistake(
        "heads-attend-to-heads",
        "The heads and tokens were never swapped: the scores compare the heads of one token with each other. "
        "Attention needs (b, num_heads, n, head_dim), so transpose(1, 2) after the view.",
        caught_by=MAIN,
        edits=[(VIEW, ".view(in_heads)"), (".transpose(1, 2).reshape(", ".reshape(")],
        everywhere=True,
    ),
    Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back, so tokens and heads are mixed up. "
        "First transpose(1, 2), then reshape.",
        caught_by=MAIN,
        edits=[(CONTEXT, "(weights @ values).reshape(b, n, self.d_out)")],
    ),
    Mistake(
        "merge-interleaved",
        "When the heads were joined, column 0 of every head came first, then column 1 of every head, and so on. Keep one head's "
        "columns side by side: "
        "(b, n, num_heads, head_dim), then reshape.",
        caught_by=MAIN,
        edits=[(CONTEXT, "(weights @ values).permute(0, 2, 3, 1).reshape(b, n, self.d_out)")],
    ),
    Mistake(
        "view-after-transpose",
        "view cannot join dimensions after a transpose. Use reshape, or contiguous() before the view.",
        caught_by=MAIN,
        edits=[(".reshape(b, n, self.d_out)", ".view(b, n, self.d_out)")],
    ),
    Mistake(
        "keys-wrong-axes",
        "The keys were transposed over the wrong axes. Scores need (head_dim, tokens) at the end: keys.transpose(2, 3), or (-2, -1).",
        caught_by=MAIN,
        edits=[("keys.transpose(2, 3)", "keys.transpose(1, 2)")],
    ),
    Mistake(
        "keys-all-axes-reversed",
        "`.T` reverses all four axes of the keys. Only the last two change places: keys.transpose(2, 3), or .mT.",
        caught_by=MAIN,
        edits=[("keys.transpose(2, 3)", "keys.permute(3, 2, 1, 0)")],
    ),
    Mistake(
        "heads-ignored",
        "num_heads makes no difference: one head of the full width attends. Split queries, keys and values into num_heads heads.",
        caught_by=MAIN,
        edits=[
            ("self.num_heads = num_heads", "self.num_heads = 1"),
            ("d_out // num_heads", "d_out"),
        ],
    ),
    # --- the layers
    Mistake(
        "no-output-layer",
        "There is no layer named exactly out_proj. The joined heads go through one more nn.Linear(d_out, d_out), under this name.",
        caught_by=MAIN,
        edits=[("        self.out_proj = nn.Linear(d_out, d_out)\n", ""), (END, "return context")],
    ),
    Mistake(
        "output-layer-unused",
        "out_proj is made but not used: the joined heads were returned as they are. The last step is out_proj.",
        caught_by=MAIN,
        edits=[(END, "return context")],
    ),
    Mistake(
        "output-layer-without-bias",
        "out_proj has no bias. Only the three projections do without one (unless qkv_bias=True).",
        caught_by=MAIN,
        edits=[("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=qkv_bias)")],
    ),
    Mistake(
        "always-a-bias",
        "W_query, W_key and W_value have a bias although qkv_bias is False by default. Pass bias=qkv_bias to nn.Linear.",
        caught_by=MAIN,
        edits=[(", bias=qkv_bias", "")],
        everywhere=True,
    ),
    Mistake(
        "never-a-bias",
        "qkv_bias is not used: W_query, W_key and W_value never have a bias. Pass bias=qkv_bias to nn.Linear.",
        caught_by="test_bias_when_asked_for",
        edits=[("bias=qkv_bias", "bias=False")],
        everywhere=True,
    ),
    Mistake(
        "one-head-wide",
        "The projections put out head_dim numbers, enough for a single head. They put out d_out, and that is split into heads.",
        caught_by=MAIN,
        edits=[("(d_in, d_out, bias", "(d_in, self.head_dim, bias")],
        everywhere=True,
    ),
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
        "queries-and-keys-swapped",
        "The scores are keys · queriesᵀ, so rows and columns are exchanged. A row belongs to a query: queries · keysᵀ.",
        caught_by=MAIN,
        edits=[("queries @ keys.transpose(2, 3)", "keys @ queries.transpose(2, 3)")],
    ),
    Mistake(
        "residual-added",
        "x was added to the result. That belongs to the block around the attention, not into it.",
        caught_by=MAIN,
        edits=[(END, END + " + x")],
    ),
    Mistake(
        "own-value-only",
        "There is no attention: each token got its own value only. The values of the earlier tokens must be mixed in by the weights.",
        caught_by=MAIN,
        edits=[(END, "return self.out_proj(self.W_value(x))")],
    ),
    Mistake(
        "weights-all-alike",
        "Every token got the plain average of the values it may see. The weights come from softmax(queries · keysᵀ / √head_dim).",
        caught_by=MAIN,
        edits=[(SCALE, " * 0")],
    ),
    Mistake(
        "zeros",
        "Zeros of the right shape came back. Return out_proj(...) of the joined heads.",
        caught_by=MAIN,
        edits=[(END, "return torch.zeros_like(context)")],
    ),
    # --- the softmax
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights.",
        caught_by=MAIN,
        edits=[(FILL, "self.mask[:n, :n], 0.0"), (SOFTMAX, "scores")],
    ),
    Mistake(
        "no-softmax-infinite",
        "There is no softmax: the scores, -inf for the hidden ones, were used as weights.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "scores")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=2). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores, dim=2)")],
    ),
    Mistake(
        "softmax-over-heads",
        "The softmax runs over the heads (dim=1), so the heads share one weight. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores, dim=1)")],
    ),
    Mistake(
        "softmax-over-batch",
        "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores, dim=0)")],
    ),
    # --- the mask
    Mistake(
        "no-mask",
        "Nothing is hidden: every token sees the later ones. Fill their scores with -inf before the softmax.",
        caught_by=MAIN,
        edits=[(HIDE, "")],
    ),
    Mistake(
        "own-token-hidden",
        "Each token hides itself as well (diagonal=0), and the first one has nothing left to look at. Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0")],
    ),
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
        "mask-inverted",
        "The mask is used the wrong way round: what should be seen is hidden. True (or 1) above the diagonal means hidden.",
        caught_by=MAIN,
        edits=[(FILL, "~self.mask[:n, :n], -torch.inf")],
    ),
    Mistake(
        "mask-inverted-finite",
        "The mask is used the wrong way round: what should be seen is hidden. True (or 1) above the diagonal means hidden.",
        caught_by=MAIN,
        edits=[(FILL, "~self.mask[:n, :n], -1e9")],
    ),
    Mistake(
        "mask-inverted-fused",
        'scaled_dot_product_attention reads True as "may be seen", the other way round than our mask. Invert it, or use is_causal=True.',
        caught_by=MAIN,
        edits=[(FILL, "~self.mask[:n, :n], -torch.inf"), (WEIGHTS, WEIGHTS + ".nan_to_num(0.0)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask was applied after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
        caught_by=MAIN,
        edits=[(HIDE, ""), (WEIGHTS, WEIGHTS + ".masked_fill(self.mask[:n, :n], 0.0)")],
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
        edits=[(FILL, "self.mask[:n, :n], 0.0")],
    ),
    Mistake(
        "filled-with-almost-zero",
        "The hidden scores were filled with a tiny number such as 1e-9 (-1e9 was meant?). They still get a weight.",
        caught_by=MAIN,
        edits=[(FILL, "self.mask[:n, :n], 1e-9")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "mask-added",
        "The mask of ones was added to the scores, which hides nothing. What is added must be -inf above the diagonal.",
        caught_by=MAIN,
        edits=[(HIDE, "scores = scores + self.mask[:n, :n]")],
    ),
    Mistake(
        "mask-times-infinity",
        "0 · inf is NaN: a triangle of ones times -inf is not a mask. Fill with masked_fill, or make a full -inf matrix and cut it.",
        caught_by=MAIN,
        edits=[(HIDE, "scores = scores + self.mask[:n, :n] * -torch.inf")],
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
        caught_by="test_context_may_be_longer_than_the_input",
        edits=[("self.mask[:n, :n]", "self.mask")],
    ),
    Mistake(
        "mask-not-cropped-in-place",
        "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens].",
        caught_by="test_context_may_be_longer_than_the_input",
        edits=[(HIDE, "scores.masked_fill_(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-not-cropped-and-added",
        "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens].",
        caught_by="test_context_may_be_longer_than_the_input",
        edits=[(HIDE, "scores = scores + torch.zeros_like(self.mask).float().masked_fill(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-cropped-at-the-end",
        "The lower right corner of the mask was used, or only its last rows. A shorter input needs the upper left corner.",
        caught_by="test_context_may_be_longer_than_the_input",
        edits=[("self.mask[:n, :n]", "self.mask[-n:, :n]")],
    ),
    Mistake(
        "mask-cropped-for-good",
        "The cropped mask was stored in self.mask, so a longer input no longer fits afterwards. Crop into a local variable.",
        caught_by="test_calls_of_one_module_do_not_disturb_each_other",
        edits=[(HIDE, "self.mask = self.mask[:n, :n]\n        " + HIDE)],
    ),
    Mistake(
        "mask-not-a-buffer",
        "The mask is a plain attribute: it would stay behind when the module moves to a GPU. Use register_buffer.",
        caught_by="test_mask_is_a_buffer",
        edits=[(BUFFER, "self.mask = later")],
    ),
    Mistake(
        "mask-under-another-name",
        "The buffer is there, but not under the name `mask`.",
        caught_by="test_mask_is_a_buffer",
        edits=[(BUFFER, BUFFER.replace("mask", "causal_mask")), ("self.mask[", "self.causal_mask[")],
        same_as="mask-not-a-buffer",
    ),
    Mistake(
        "mask-as-parameter",
        "The mask was made a parameter. It is nothing to train: use register_buffer.",
        caught_by=MAIN,
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
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
        "dropout-on-output",
        "Dropout was applied to the output. It belongs on the weights, between the softmax and the values.",
        caught_by=DROPOUT,
        edits=[(DROP, ""), (END, "return self.dropout(self.out_proj(context))")],
    ),
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
    Mistake(
        "dropout-on-values",
        "Dropout was applied to the values. It belongs on the weights.",
        caught_by="test_dropout_acts_on_the_weights",
        edits=[(DROP, "values = self.dropout(values)")],
    ),
    Mistake(
        "dropout-on-scores",
        "Dropout was applied to the scores. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(HIDE, "scores = self.dropout(scores)\n        " + HIDE), (DROP, "")],
    ),
    Mistake(
        "dropout-fixed",
        "The dropout is always 0.1. Use the `dropout` that was passed in.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
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
        caught_by="test_dropout_acts_on_the_weights",
        edits=[(DROP, "weights = self.dropout(self.dropout(weights))")],
    ),
    Mistake(
        "normalised-after-dropout",
        "The weights were divided by their sum again after the dropout. In training a row need not sum to 1.",
        caught_by="test_dropout_acts_on_the_weights",
        edits=[(DROP, DROP + "\n        weights = weights / weights.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "dropout-not-scaled",
        "The weights that are kept were not divided by 1 - p. nn.Dropout does that.",
        caught_by="test_dropout_acts_on_the_weights",
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
        "Dropout1d or Dropout2d drops whole rows or heads. Each single weight is dropped by itself: nn.Dropout.",
        caught_by="test_dropout_acts_on_the_weights",
        edits=[("nn.Dropout(dropout)", "nn.Dropout2d(dropout)")],
    ),
    # --- the rest
    Mistake(
        "sizes-not-checked",
        "A d_out that num_heads does not divide is accepted. Refuse it in `__init__`.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "d-in-checked-instead",
        "d_in was checked. It is d_out that is split into heads, and d_in may be any size.",
        caught_by=MAIN,
        edits=[("assert d_out %", "assert d_in %")],
    ),
    Mistake(
        "weights-returned",
        "The attention weights were returned. Three steps are missing: weights · values, joining the heads, out_proj.",
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
    Mistake(
        "softmax-over-heads-finite",
        "The softmax runs over the heads (dim=1), so the heads share one weight. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(FILL, "self.mask[:n, :n], -1e9"), (SOFTMAX, "F.softmax(scores, dim=1)")],
    ),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    Mistake(
        "fill-of-minus-100",
        "What is put in for the hidden scores is not far enough below the others: a hidden token with a high score still comes through. "
        "Use -inf (or -1e9).",
        caught_by="test_future_has_no_say",
        edits=[(FILL, "self.mask[:n, :n], -100.0")],
    ),
    Mistake(
        "minus-100-added",
        "What is put in for the hidden scores is not far enough below the others: a hidden token with a high score still comes through. "
        "Use -inf (or -1e9).",
        caught_by="test_future_has_no_say",
        edits=[(HIDE, "scores = scores - 100.0 * self.mask[:n, :n]")],
        same_as="fill-of-minus-100",
    ),
]
