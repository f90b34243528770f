from families import kept, results, scale

from grader.judge.authoring import Mistake

LEADING = "test_any_number_of_leading_axes"
PRODUCT = "query @ key.transpose(-2, -1)"
SCALED = "scores / query.shape[-1] ** 0.5"

MISTAKES = [
    Mistake(
        "no-scale",
        "The scores are not scaled. Divide query · keyᵀ by the square root of the width of a query.",
        edits=[(SCALED, "scores")],
    ),
    Mistake(
        "divided-by-width",
        "The scores are divided by d, not by √d. Take the root of the width.",
        edits=[(SCALED, "scores / query.shape[-1]")],
    ),
    *scale.half_outside_the_power(root="query.shape[-1] ** 0.5", width="query.shape[-1]"),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √d where they should be divided by it.",
        edits=[(SCALED, "scores * query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "root-of-the-number-of-keys",
        "The scores are divided by the root of the number of keys. The scale comes from the width, the last size of query and key.",
        edits=[(SCALED, "scores / key.shape[-2] ** 0.5")],
    ),
    Mistake(
        "root-of-the-number-of-queries",
        "The scores are divided by the root of the number of queries. The scale comes from the width, the last size of query and key.",
        edits=[(SCALED, "scores / query.shape[-2] ** 0.5")],
    ),
    Mistake(
        "second-size-for-the-width",
        "query.size(1) is the width only where there is no batch. Count from the back: query.size(-1) is the width whatever stands before it.",
        edits=[(SCALED, "scores / query.size(1) ** 0.5")],
    ),
    Mistake(
        "first-size-for-the-width",
        "len(query), or query.size(0), is the number of queries or of sequences. The width is the last size: query.size(-1).",
        edits=[(SCALED, "scores / query.size(0) ** 0.5")],
    ),
    Mistake(
        "transposed-result",
        "Rows and columns are exchanged: this is key · queryᵀ. A row belongs to a query, a column to a key.",
        edits=[(PRODUCT, "key @ query.transpose(-2, -1)")],
    ),
    Mistake(
        "not-transposed",
        "The key was not transposed. Exchange its last two axes, so that the width of each query meets the width of each key.",
        edits=[(PRODUCT, "query @ key")],
    ),
    Mistake(
        "viewed-as-transposed",
        "The key was given its transposed shape by reshape or view. That keeps the numbers in their old order, in rows of another length; "
        "transpose(-2, -1) exchanges the axes.",
        edits=[(PRODUCT, "query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])")],
    ),
    Mistake(
        "query-transposed",
        "The query was transposed instead of the key, so the sum runs over the tokens. It should run over the width.",
        edits=[(PRODUCT, "query.transpose(-2, -1) @ key")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` reverses all axes, the batch too. Exchange only the last two: transpose(-2, -1).",
        edits=[(PRODUCT, "query @ key.permute(*range(key.dim() - 1, -1, -1))")],
    ),
    Mistake(
        "first-two-axes",
        "transpose(0, 1) is right for matrices only: with a batch it exchanges batch and keys. Count from the end: transpose(-2, -1).",
        edits=[(PRODUCT, "query @ key.transpose(0, 1)")],
    ),
    Mistake(
        "axes-counted-from-the-front",
        "transpose(1, 2) is right for three axes only. With more or fewer before the last two, count from the end: transpose(-2, -1).",
        caught_by=LEADING,
        edits=[(PRODUCT, "query @ key.transpose(1, 2)")],
    ),
    Mistake(
        "softmax-already",
        "These are weights: a softmax was taken of the scores. Here the scores themselves are asked for.",
        edits=[(SCALED, "torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)")],
    ),
    Mistake(
        "cosine",
        "This is the cosine of the angle: the products were divided by the vectors' own lengths. Divide them all by √d instead.",
        edits=[(SCALED, "scores / (query.norm(dim=-1)[..., :, None] * key.norm(dim=-1)[..., None, :])")],
    ),
    Mistake(
        "elementwise",
        "Query and key were multiplied number by number, so each query meets one key only. Use a matrix product.",
        edits=[(PRODUCT, "query * key")],
    ),
    results.returned("float32-only", SCALED),
    Mistake(
        "query-overwritten",
        "The query was scaled in place (/=, *=, div_). The caller still needs it: scale a new tensor, or the scores.",
        caught_by="test_inputs_are_left_alone",
        edits=[("scores = ", "query.detach().div_(query.shape[-1] ** 0.5)\n    return ")],
    ),
    results.returned("detached", SCALED, "test_gradients_reach_query_and_key"),
    Mistake(
        "one-fourth-root",
        "Only one of query and key was divided by the fourth root of d. Divide both by it, or one of them by √d.",
        edits=[("** 0.5", "** 0.25")],
    ),
    Mistake(
        "three-axes-only",
        "torch.bmm takes exactly three axes. There may be no batch, or batch and heads: use @ and count axes from the end.",
        caught_by=LEADING,
        edits=[(PRODUCT, "torch.bmm(query, key.transpose(-2, -1))")],
    ),
    kept.from_the_last_call("scaled_scores"),
    results.returned("squeezed", SCALED),
    Mistake(
        "not-added-up",
        "The products were not added up, so each pair has d numbers instead of one score. Sum over the width, the last axis.",
        edits=[(PRODUCT, "query.unsqueeze(-2) * key.unsqueeze(-3)")],
    ),
    Mistake(
        "key-with-itself",
        "The keys were compared with themselves. The first one is the query: query · keyᵀ.",
        edits=[(PRODUCT, "key @ key.transpose(-2, -1)")],
    ),
    Mistake(
        "future-hidden",
        "Later keys are hidden by a causal mask. There is no mask here.",
        edits=[(SCALED, f"({SCALED}).masked_fill(torch.ones_like(scores).triu(1) > 0, float('-inf'))")],
    ),
    Mistake(
        "permuted-for-three-axes",
        "permute(0, 2, 1) works with exactly three axes. There may be more or fewer before the last two: transpose(-2, -1).",
        caught_by=LEADING,
        edits=[("key.transpose(-2, -1)", "key.permute(0, 2, 1)")],
    ),
]
