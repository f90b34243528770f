from families import kept, results

from grader.judge.authoring import Mistake

BIAS = "test_bias_when_asked_for"
DROPOUT = "test_dropout_acts_in_training_only"
ON_WEIGHTS = "test_dropout_acts_on_the_weights_of_each_head"
HEAD = "CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)"
LIST = f"[{HEAD} for _ in range(num_heads)]"
HEADS = f"nn.ModuleList(\n            {LIST}\n        )"
MADE = f"self.heads = {HEADS}"
OUTPUTS = "[head(x) for head in self.heads]"
JOINED = f"torch.cat({OUTPUTS}, dim=-1)"
RETURN = f"return {JOINED}"
TOO_MANY = (
    "There are too many parameters. The wrapper has its num_heads heads and nothing else: no further head, and no layer behind them "
    "(out_proj), which belongs to the efficient version."
)

SEEN = "attn_mask=self.seen[:n, :n]"
TRIANGLE = ".tril()"
PROJECTED = "self.W_query(x), self.W_key(x), self.W_value(x)"
FUSED = f"F.scaled_dot_product_attention(queries, keys, values, {SEEN}, dropout_p=p)"
SCALE = " / keys.shape[-1] ** 0.5"
HIDE = ".masked_fill(~self.seen[:n, :n], -torch.inf)"
SCORES = f"(queries @ keys.transpose(1, 2){SCALE}){HIDE}"
SOFTMAX = f"F.softmax({SCORES}, dim=-1)"
BY_HAND = f"F.dropout({SOFTMAX}, p) @ values"
GIVEN = "CausalAttention was right as given. Here "


def in_the_head(id, message, *changes, caught_by=""):
    """A mistake in the head, with its steps written out as in `causal_attention`."""
    return Mistake(id, GIVEN + message, caught_by, edits=[(FUSED, BY_HAND), *changes])


MISTAKES = [
    Mistake(
        "plain-list",
        "The parameters of the heads were not found under the names heads.0, heads.1, … A plain Python list hides its modules from torch: "
        "make it an nn.ModuleList, and name it `self.heads`.",
        edits=[(MADE, f"self.heads = {LIST}")],
    ),
    Mistake(
        "super-init-missing",
        "super().__init__() is missing or comes too late: it has to run before the first module is assigned.",
        edits=[("super().__init__()\n        # BEGIN SOLUTION\n", "# BEGIN SOLUTION\n")],
    ),
    # --- how the heads are joined
    *[
        Mistake(
            f"joined-along-the-{axis}",
            f"The heads were joined along the {axis} ({dim}). They belong side by side, along the width: dim=-1.",
            edits=[(JOINED, f"torch.cat({OUTPUTS}, dim={dim[-1]})")],
        )
        for axis, dim in (("tokens", "dim=1"), ("batch", "without dim, torch.cat takes dim=0"))
    ],
    Mistake(
        "summed",
        "The heads were added up. Put them side by side: the result is num_heads times as wide as one head.",
        edits=[(JOINED, f"sum({OUTPUTS})")],
    ),
    Mistake(
        "averaged",
        "The heads were averaged. Put them side by side: the result is num_heads times as wide as one head.",
        edits=[(JOINED, f"torch.stack({OUTPUTS}).mean(dim=0)")],
    ),
    Mistake(
        "stacked-in-front",
        "The heads were stacked, which gives them an axis of their own. Put them side by side along the width: torch.cat with dim=-1.",
        edits=[(JOINED, f"torch.stack({OUTPUTS})")],
    ),
    Mistake(
        "stacked-at-the-end",
        "The heads were stacked, which gives them an axis of their own. Put them side by side along the width: torch.cat with dim=-1.",
        edits=[(JOINED, f"torch.stack({OUTPUTS}, dim=-1)")],
    ),
    Mistake(
        "interleaved",
        "The columns are in the wrong order: column 0 of every head, then column 1 of every head. All columns of head 0 come first, "
        "then all of head 1.",
        edits=[(JOINED, f"torch.stack({OUTPUTS}, dim=-1).flatten(2)")],
    ),
    Mistake(
        "stacked-and-reshaped",
        "The heads were stacked in front of the tokens and reshaped to the right size, which mixes tokens with heads. Join them along the width.",
        edits=[(JOINED, f"torch.stack({OUTPUTS}, dim=1).reshape(x.shape[0], x.shape[1], -1)")],
    ),
    Mistake(
        "last-head-first",
        "The heads are joined from the last to the first. Head 0 comes first.",
        edits=[(OUTPUTS, f"{OUTPUTS}[::-1]")],
    ),
    Mistake(
        "list-returned",
        "The heads' results came as a list. Join them into one tensor, along the width.",
        edits=[(JOINED, OUTPUTS)],
    ),
    Mistake(
        "nothing-returned",
        "None came back. Is there a `return` in forward?",
        edits=[(RETURN, JOINED)],
    ),
    # --- which heads
    Mistake(
        "first-head-only",
        "Only the first head's result was returned. All heads work on x, and their results are joined along the width.",
        edits=[(JOINED, "self.heads[0](x)")],
    ),
    Mistake(
        "one-head-in-all-places",
        "One and the same head is in the list several times ([head] * num_heads), so all share one set of weights. Make a new one in "
        "every round of the loop.",
        edits=[(LIST, f"[{HEAD}] * num_heads")],
    ),
    Mistake(
        "one-after-the-other",
        "The heads were called one after the other, each on the result of the one before. Each head gets x itself.",
        edits=[(RETURN, "for head in self.heads:\n            x = head(x)\n        return x")],
    ),
    Mistake(
        "output-layer-added",
        TOO_MANY,
        edits=[
            (MADE, f"{MADE}\n        self.out_proj = nn.Linear(d_out * num_heads, d_out * num_heads)"),
            (RETURN, f"return self.out_proj({JOINED})"),
        ],
    ),
    Mistake(
        "one-head-made",
        "Only one head was made. Each of the num_heads heads has its own weights: make a new CausalAttention for each.",
        edits=[
            ("range(num_heads)", "range(1)"),
            (
                MADE.replace("range(num_heads)", "range(1)"),
                MADE.replace("range(num_heads)", "range(1)") + "\n        self.num_heads = num_heads",
            ),
            (JOINED, "self.heads[0](x).repeat(1, 1, self.num_heads)"),
        ],
    ),
    Mistake(
        "one-head-missing",
        "There are too few heads. Make num_heads of them: range(num_heads).",
        edits=[("range(num_heads)", "range(num_heads - 1)")],
    ),
    # --- what the heads get
    Mistake(
        "d-out-shared-out",
        "Each head was made d_out // num_heads wide. That is for the efficient version: here each head is d_out wide, and the result "
        "d_out · num_heads.",
        edits=[(HEAD, "CausalAttention(d_in, d_out // num_heads, context_length, dropout, qkv_bias)")],
    ),
    Mistake(
        "d-out-multiplied",
        "Each head was made d_out · num_heads wide. Each is d_out wide; side by side they become d_out · num_heads.",
        edits=[(HEAD, "CausalAttention(d_in, d_out * num_heads, context_length, dropout, qkv_bias)")],
    ),
    Mistake(
        "widths-exchanged",
        "d_in and d_out are exchanged where the heads are made: first what comes in, then what goes out.",
        edits=[(HEAD, "CausalAttention(d_out, d_in, context_length, dropout, qkv_bias)")],
    ),
    Mistake(
        "division-demanded",
        "A d_out that num_heads does not divide was refused. Here nothing is shared out, each head is d_out wide: no such check.",
        edits=[(MADE, f"assert d_out % num_heads == 0\n        {MADE}")],
    ),
    Mistake(
        "dropout-not-passed",
        "The heads drop nothing in training. Pass `dropout` on to CausalAttention, and do not put the heads into eval().",
        caught_by=DROPOUT,
        edits=[(HEAD, HEAD.replace("dropout", "0.0"))],
    ),
    Mistake(
        "bias-not-passed",
        "qkv_bias does not reach the heads: their projections never have a bias. Pass it on to CausalAttention.",
        caught_by=BIAS,
        edits=[(HEAD, HEAD.replace(", qkv_bias", ""))],
    ),
    Mistake(
        "always-a-bias",
        "The heads' projections have a bias although qkv_bias is False by default. Pass `qkv_bias` on to CausalAttention, not True.",
        edits=[(HEAD, HEAD.replace("qkv_bias", "True"))],
    ),
    Mistake(
        "heads-count-as-dropout",
        "CausalAttention got num_heads where its dropout belongs. It takes (d_in, d_out, context_length, dropout, qkv_bias).",
        edits=[(HEAD, "CausalAttention(d_in, d_out, context_length, num_heads, dropout)")],
    ),
    # --- too much
    Mistake(
        "dropout-on-the-result",
        "The dropout acts on the result where it should act on the weights inside the heads. Pass `dropout` on to CausalAttention.",
        caught_by=ON_WEIGHTS,
        edits=[
            (MADE, f"{MADE.replace('dropout', '0.0')}\n        self.dropout = nn.Dropout(dropout)"),
            (RETURN, f"return self.dropout({JOINED})"),
        ],
    ),
    Mistake(
        "residual-added",
        "x was added to the result, which fits only where both have the same width. That belongs to the block around the attention.",
        edits=[(RETURN, f"{RETURN} + x")],
    ),
    Mistake(
        "scaled-by-heads",
        "The result was divided by the number of heads. Nothing is averaged here: put the heads' results side by side as they are.",
        edits=[(RETURN, f"{RETURN} / len(self.heads)")],
    ),
    results.returned("float32-only", "torch.cat([head(x) for head in self.heads], dim=-1)"),
    # --- manners
    results.input_overwritten(JOINED),
    results.returned(
        "detached", "torch.cat([head(x) for head in self.heads], dim=-1)", "test_gradients_reach_input_and_every_head"
    ),
    kept.in_evaluation(
        "test_context_may_be_longer_than_the_input",
        forward="""def forward(self, x: torch.Tensor) -> torch.Tensor:
        # BEGIN SOLUTION
        return torch.cat""",
    ),
    # --- the head itself, for those who write it anew
    in_the_head("no-scale", "the scores are not divided by √d_out.", (SCALE, "")),
    in_the_head("divided-by-d-out", "the scores are divided by d_out, not by its root.", (SCALE, " / keys.shape[-1]")),
    in_the_head("scale-upside-down", "the scores are multiplied by √d_out, not divided by it.", (" / keys", " * keys")),
    in_the_head(
        "softmax-over-queries",
        "the softmax runs over the queries (dim=1). It belongs on the keys, dim=-1.",
        ("dim=-1), p)", "dim=1), p)"),
    ),
    in_the_head(
        "softmax-over-batch",
        "the softmax runs over the batch (dim=0). It belongs on the keys, dim=-1.",
        ("dim=-1), p)", "dim=0), p)"),
    ),
    in_the_head("no-mask", "nothing is hidden. No token sees a later one.", (HIDE, "")),
    in_the_head(
        "filled-with-zero",
        "the hidden scores were set to 0, and exp(0) is 1. Fill them with minus infinity.",
        ("-torch.inf", "0.0"),
    ),
    in_the_head(
        "fill-of-minus-100",
        "the hidden scores were set to -100, or 100 was taken off. A hidden token with a high score still comes through: minus infinity.",
        ("-torch.inf", "-100.0"),
        caught_by="test_each_head_has_its_own_columns",
    ),
    in_the_head("mask-inverted", "earlier tokens are hidden, and later ones seen.", ("~self.seen", "self.seen")),
    in_the_head("own-token-hidden", "a token does not see itself.", (TRIANGLE, ".tril(diagonal=-1)")),
    in_the_head("next-token-seen", "each token sees the next one.", (TRIANGLE, ".tril(diagonal=1)")),
    in_the_head(
        "lower-triangle-and-next",
        "`tril` in the place of `triu` hides each token, the next one and all before.",
        (TRIANGLE, ".triu(diagonal=2)"),
    ),
    in_the_head(
        "keys-as-values",
        "the weights were applied to the keys. They belong on the values.",
        (PROJECTED, "self.W_query(x), self.W_key(x), self.W_key(x)"),
    ),
    # --- the same head, rarer
    in_the_head(
        "queries-from-the-key-layer",
        "the queries were made by W_key, so the keys are compared with each other. They are W_query(x).",
        (PROJECTED, "self.W_key(x), self.W_key(x), self.W_value(x)"),
    ),
    in_the_head(
        "keys-and-values-exchanged",
        "W_key and W_value are exchanged: keys are for the scores, values for the mixture.",
        (PROJECTED, "self.W_query(x), self.W_value(x), self.W_key(x)"),
    ),
    in_the_head(
        "no-softmax-infinite",
        "there is no softmax: the scores, -inf for the hidden ones, were used as weights.",
        (SOFTMAX, SCORES),
    ),
    in_the_head(
        "no-softmax",
        "there is no softmax: the scores themselves were used as weights.",
        (SOFTMAX, SCORES),
        ("-torch.inf", "0.0"),
    ),
    in_the_head(
        "not-divided-by-the-sum",
        "the exponentials of the scores were used as weights. Divide each row by its sum.",
        (SOFTMAX, f"({SCORES}).exp()"),
    ),
    in_the_head(
        "mask-not-cropped",
        "the mask is used whole, so only inputs of exactly context_length tokens fit. Crop it to [:n, :n].",
        ("self.seen[:n, :n]", "self.seen"),
        caught_by="test_context_may_be_longer_than_the_input",
    ),
    in_the_head(
        "mask-after-softmax",
        "the mask came after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
        (HIDE, ""),
        ("dim=-1), p)", "dim=-1).masked_fill(~self.seen[:n, :n], 0.0), p)"),
    ),
    in_the_head(
        "keys-not-turned",
        "the keys were not transposed. Exchange their last two axes: keys.transpose(1, 2).",
        ("keys.transpose(1, 2)", "keys"),
    ),
    in_the_head(
        "dropout-in-eval",
        "weights are dropped in evaluation as well. Drop them in training only.",
        ("self.dropout.p if self.training else 0.0", "self.dropout.p"),
        caught_by=DROPOUT,
    ),
    results.returned("squeezed", "torch.cat([head(x) for head in self.heads], dim=-1)"),
]
