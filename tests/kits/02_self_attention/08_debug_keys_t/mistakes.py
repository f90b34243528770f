from families import instead_of_softmax, kept, projections, results

from grader.judge.authoring import Mistake

SQUARE = "test_sizes_that_hide_it"
ALONE = "test_one_sequence_still_works"

KEYS = "keys.transpose(-2, -1)"
SCORES = "attn_scores = queries @ keys.transpose(-2, -1)"
WEIGHTS = "attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)"
MADE = "keys = self.W_key(x)"
RETURN = "return context_vec"

LAYERS = ("W_query", "W_key", "W_value")

MISTAKES = [
    Mistake(
        "all-dims-reversed",
        "With a batch all axes of the keys are still reversed, as `.T` does it, the batch too. Which two axes should change places?",
        caught_by=SQUARE,
        # `.T` itself would warn in the grader's own process
        edits=[(KEYS, "keys.permute(*range(keys.dim() - 1, -1, -1))")],
    ),
    Mistake(
        "first-two-axes",
        "transpose(0, 1) exchanges the first two axes: right for one sequence, but in a batch these are batch and tokens. "
        "Count from the end.",
        caught_by=SQUARE,
        edits=[(KEYS, "keys.transpose(0, 1)")],
    ),
    Mistake(
        "t-on-a-batch",
        "`.t()` takes two axes at most, so a batch still ends with an error. Exchange the last two axes, counted from the end.",
        edits=[(KEYS, "keys.t()")],
    ),
    *[
        Mistake(
            id,
            f"{turned} is right for a batch, but one sequence without a batch has no axis 2. Count from the end, so that both work.",
            caught_by=ALONE,
            edits=[(KEYS, f"keys.{turned}")],
        )
        for id, turned in (("batch-only", "transpose(1, 2)"), ("permuted-for-a-batch", "permute(0, 2, 1)"))
    ],
    Mistake(
        "three-axes-unpacked",
        "The sizes of x are taken apart into three, which one sequence without a batch does not have. It worked for one sequence "
        "before; it still should.",
        caught_by=ALONE,
        edits=[(MADE, f"batch, tokens, width = x.shape\n        {MADE}")],
    ),
    Mistake(
        "not-transposed",
        "The keys are not transposed at all any more. The product needs their last two axes exchanged, with a batch and without.",
        caught_by=SQUARE,
        edits=[(KEYS, "keys")],
    ),
    Mistake(
        "viewed-as-transposed",
        "The keys were given their transposed shape by reshape or view. That keeps the numbers in their old order, in rows of another length; "
        "a transpose exchanges the axes.",
        edits=[(KEYS, "keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])")],
    ),
    Mistake(
        "queries-transposed",
        "The queries were transposed instead of the keys, so the sum runs over the tokens. It should run over the width.",
        edits=[(SCORES, "attn_scores = queries.transpose(-2, -1) @ keys")],
    ),
    Mistake(
        "rows-and-columns-exchanged",
        "The scores are keys · queriesᵀ now, so rows and columns are exchanged. It was right as given: the queries come first.",
        edits=[(SCORES, "attn_scores = keys @ queries.transpose(-2, -1)")],
    ),
    Mistake(
        "elementwise",
        "Queries and keys are multiplied number by number. It was right as given: a matrix product.",
        edits=[(SCORES, "attn_scores = queries * keys")],
    ),
    Mistake(
        "scale-of-the-transposed-keys",
        "The scores are divided by the root of the number of tokens: keys.shape[-2], or keys.shape[-1] of keys that were transposed before. "
        "It should be d_out, the width of a key.",
        edits=[(MADE, "keys = self.W_key(x).transpose(-2, -1)"), (SCORES, "attn_scores = queries @ keys")],
    ),
    Mistake(
        "all-sequences-in-one",
        "The batch was joined into one long sequence, so tokens see those of other sequences too. Keep each sequence by itself.",
        edits=[
            (MADE, f"shape, x = x.shape, x.reshape(-1, x.shape[-1])\n        {MADE}"),
            (RETURN, "return context_vec.view(*shape[:-1], -1)"),
        ],
    ),
    Mistake(
        "no-scale",
        "The scaling was lost in the repair. It was right as given: the scores divided by the root of keys.shape[-1].",
        edits=[(" / keys.shape[-1] ** 0.5", "")],
    ),
    Mistake(
        "scaled-twice",
        "The scores are divided by keys.shape[-1] itself, as if scaled a second time. The line with the softmax divides by its root, "
        "which was right as given.",
        edits=[(SCORES, f"{SCORES} / keys.shape[-1] ** 0.5")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are now multiplied by the root of keys.shape[-1]. It was right as given: divided by it.",
        edits=[("attn_scores / keys.shape[-1] ** 0.5", "attn_scores * keys.shape[-1] ** 0.5")],
    ),
    Mistake(
        "other-dim",
        "The softmax now runs over the queries (dim=-2). It was right as given: dim=-1, over the keys.",
        edits=[("dim=-1)", "dim=-2)")],
    ),
    Mistake(
        "over-the-first-axis",
        "The softmax now runs over dim=0. It was right as given: dim=-1, over the keys.",
        edits=[("dim=-1)", "dim=0)")],
    ),
    Mistake(
        "no-softmax",
        "The error is gone, but so is the softmax: the scores themselves are used as weights. It was right as given.",
        edits=[(WEIGHTS, "attn_weights = attn_scores / keys.shape[-1] ** 0.5")],
    ),
    Mistake(
        "keys-as-values",
        "The weights are now multiplied with the keys. It was right as given: weights times values.",
        edits=[("attn_weights @ values", "attn_weights @ keys")],
    ),
    Mistake(
        "weights-returned",
        "The weights are returned. The output is the weights times the values, as it was given.",
        edits=[(RETURN, "return attn_weights")],
    ),
    Mistake(
        "bias-ignored",
        "`qkv_bias` has no effect any more: with qkv_bias=True each layer has a bias. It was right as given.",
        edits=[("bias=qkv_bias", "bias=False")],
        everywhere=True,
    ),
    Mistake(
        "dropout-added",
        "In training some weights are dropped. This class has no dropout: its output is the same in both modes.",
        edits=[("context_vec = attn_weights", "context_vec = nn.functional.dropout(attn_weights, 0.1, self.training)")],
    ),
    Mistake(
        "keys-detached",
        "The output is right, but .detach(), .data or torch.no_grad() stops the gradients to the keys, so they can't be trained.",
        caught_by="test_training_still_works",
        edits=[(KEYS, "keys.detach().transpose(-2, -1)")],
    ),
    # after the one above: where no gradient comes at all, none can differ
    results.returned("detached", "context_vec", "test_training_still_works"),
    kept.in_evaluation(),
    *projections.mistakes(
        layers=LAYERS,
        queries="queries = self.W_query(x)",
        keys="keys = self.W_key(x)",
        values="values = self.W_value(x)",
    ),
    projections.one_layer_under_three_names(layers=LAYERS, layer="nn.Linear(d_in, d_out, bias=qkv_bias)"),
    Mistake(
        "always-a-bias",
        "W_query, W_key and W_value have a bias although none was asked for. It was right as given: qkv_bias is False by default, and bias=qkv_bias.",
        edits=[(", bias=qkv_bias", "")],
        everywhere=True,
    ),
    Mistake(
        "inputs-compared",
        "The scores compare x with itself. It was right as given: queries with keys.",
        edits=[(SCORES, "attn_scores = x @ x.transpose(-2, -1)")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: attn_weights @ values, as given.",
        edits=[("attn_weights @ values", "attn_weights.transpose(-2, -1) @ values")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax is taken twice, which brings the weights closer together than they should be. Once is enough.",
        edits=[("attn_weights @ values", "torch.softmax(attn_weights, dim=-1) @ values")],
    ),
    Mistake(
        "scaled-after-softmax",
        "The scaling was moved behind the softmax, so the weights no longer sum to 1. It was right as given: inside the softmax.",
        edits=[(WEIGHTS, "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")],
    ),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by the root of d_in, the width of x. It was right as given: keys.shape[-1], which is d_out.",
        edits=[("/ keys.shape[-1] ** 0.5", "/ x.shape[-1] ** 0.5")],
    ),
    *instead_of_softmax.mistakes(
        "log-weights",
        "future-hidden",
        *instead_of_softmax.ANOTHER_FUNCTION,
        "divided-without-exp",
        "uniform-weights",
        "softmax-in-float32",
        "divided-by-the-mean",
        softmax="torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)",
        scores="attn_scores / keys.shape[-1] ** 0.5",
    ),
    Mistake(
        "weights-returned-as-well",
        "The weights came back beside the output. Return context_vec alone, as it was given.",
        edits=[(RETURN, "return context_vec, attn_weights")],
    ),
    Mistake(
        "scores-returned",
        "The scores are returned. The output is the weights times the values, as it was given.",
        edits=[(RETURN, "return attn_scores")],
    ),
    *results.rows_of_tokens("context_vec"),
    results.returned("float32-only", "context_vec"),
    results.returned("float64-returned", "context_vec"),
    Mistake(
        "bmm-for-a-batch",
        "torch.bmm takes a batch only: one sequence has no batch axis. Use @, which takes both.",
        caught_by=ALONE,
        edits=[(SCORES, "attn_scores = torch.bmm(queries, keys.transpose(-2, -1))")],
    ),
    Mistake(
        "mm-for-one-sequence",
        "torch.mm takes one sequence only, so a batch still ends with an error. Use @, which takes both.",
        edits=[(SCORES, "attn_scores = torch.mm(queries, keys.transpose(-2, -1))")],
    ),
]
