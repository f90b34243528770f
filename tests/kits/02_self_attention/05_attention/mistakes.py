from families import instead_of_softmax, kept, scale

from grader.judge.authoring import Mistake

LEADING = "test_any_number_of_leading_axes"
DROPOUT = "test_dropout_acts_on_the_weights"

PRODUCT, ROOT = "query @ key.transpose(-2, -1)", "math.sqrt(query.size(-1))"
SCORES = f"{PRODUCT} / {ROOT}"
SOFTMAX = "scores.softmax(dim=-1)"
DROPPED = "    if dropout is not None:\n        p_attn = dropout(p_attn)\n"
CALLED = "        p_attn = dropout(p_attn)"
RETURN = "return p_attn @ value, p_attn"


MISTAKES = [
    Mistake(
        "no-scale",
        "The scores are not divided by √d. Divide query · keyᵀ by the root of the query's width before the softmax.",
        edits=[(" / math.sqrt(query.size(-1))", "")],
    ),
    Mistake(
        "divided-by-width",
        "The scores are divided by d, not by √d. Take the root of the width.",
        edits=[("math.sqrt(query.size(-1))", "query.size(-1)")],
    ),
    *scale.half_outside_the_power(root="math.sqrt(query.size(-1))", width="query.size(-1)"),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √d where they should be divided by it.",
        edits=[("/ math.sqrt(query.size(-1))", "* math.sqrt(query.size(-1))")],
    ),
    Mistake(
        "scale-of-the-value",
        "The scale comes from the value's width. It belongs to queries and keys: √ of query.size(-1). The values may have another "
        "width.",
        edits=[("query.size(-1)", "value.size(-1)")],
    ),
    Mistake(
        "root-of-the-keys",
        "The scores are divided by the root of the number of keys. The scale comes from the width, the last size of the query.",
        edits=[("query.size(-1)", "key.size(-2)")],
    ),
    Mistake(
        "second-size-for-the-width",
        "With three axes the scores are divided by the root of the number of queries: query.size(1), or query.size(-2). "
        "The width is the last size whatever stands before it: query.size(-1).",
        edits=[("query.size(-1)", "query.size(1)")],
    ),
    Mistake(
        "scaled-after-softmax",
        "The scale was applied to the weights, after the softmax. Scale the scores before it: the weights of a query sum to 1.",
        edits=[(SCORES, "query @ key.transpose(-2, -1)"), (SOFTMAX, f"{SOFTMAX} / math.sqrt(query.size(-1))")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the queries (dim=-2). Each query spreads its weight over the keys: that is the last axis, dim=-1.",
        edits=[(SOFTMAX, "scores.softmax(dim=-2)")],
    ),
    *[
        Mistake(
            f"softmax-over-the-{which}-axis",
            f"The softmax runs over dim={axis}, the {which} axis. The keys are the last axis, whatever comes before it: dim=-1.",
            edits=[(SOFTMAX, f"scores.softmax(dim={axis})")],
        )
        for axis, which in enumerate(("first", "second"))
    ],
    Mistake(
        "log-softmax",
        "These are the logarithms of the weights. Take the softmax itself.",
        edits=[(SOFTMAX, "scores.log_softmax(dim=-1)")],
    ),
    Mistake(
        "no-exp",
        "The scores were divided by their sum without exp(). A softmax takes the exponential first.",
        edits=[(SOFTMAX, "scores / scores.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "tuple-swapped",
        "The weights come first and the output second. Return (output, p_attn).",
        edits=[(RETURN, "return p_attn, p_attn @ value")],
    ),
    Mistake(
        "only-the-output",
        "Only the output came back. Return the weights beside it: (output, p_attn).",
        edits=[(RETURN, "return p_attn @ value")],
    ),
    Mistake(
        "only-the-weights",
        "Only the weights came back. Return (output, p_attn), with output = p_attn · value.",
        edits=[(RETURN, "return p_attn")],
    ),
    Mistake(
        "nothing-for-the-weights",
        "The second result is None where the weights should be (scaled_dot_product_attention does not return them). Return (output, p_attn).",
        edits=[(RETURN, "return p_attn @ value, None")],
    ),
    Mistake(
        "scores-returned",
        "The second result holds the scores. Return the weights, after the softmax (and after the dropout).",
        edits=[(RETURN, "return p_attn @ value, scores")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values: p_attn · value.",
        edits=[(RETURN, "return p_attn @ key, p_attn")],
    ),
    Mistake(
        "value-as-key",
        "The queries were compared with the values. Compare them with the keys: query · keyᵀ.",
        edits=[("key.transpose(-2, -1)", "value.transpose(-2, -1)")],
    ),
    Mistake(
        "query-and-key-swapped",
        "The scores are key · queryᵀ, so rows and columns are exchanged. A row belongs to a query: query · keyᵀ.",
        edits=[("query @ key.transpose(-2, -1)", "key @ query.transpose(-2, -1)")],
    ),
    Mistake(
        "not-transposed",
        "The key was not transposed. Exchange its last two axes first: transpose(-2, -1).",
        edits=[("key.transpose(-2, -1)", "key")],
    ),
    Mistake(
        "viewed-as-transposed",
        "The key was given its transposed shape by reshape or view. That keeps the numbers in their old order, in rows of another length; "
        "transpose(-2, -1) exchanges the axes.",
        edits=[("key.transpose(-2, -1)", "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` reverses all axes, the batch too. Exchange only the last two: transpose(-2, -1).",
        edits=[("key.transpose(-2, -1)", "key.permute(*range(key.dim() - 1, -1, -1))")],
    ),
    Mistake(
        "first-two-axes",
        "transpose(0, 1) is right for matrices only: with a batch it exchanges batch and keys. Count from the end: transpose(-2, -1).",
        edits=[("key.transpose(-2, -1)", "key.transpose(0, 1)")],
    ),
    Mistake(
        "axes-counted-from-the-front",
        "transpose(1, 2) is right for three axes only. With more or fewer, count from the end: transpose(-2, -1).",
        caught_by=LEADING,
        edits=[("key.transpose(-2, -1)", "key.transpose(1, 2)")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: p_attn · value.",
        edits=[(RETURN, "return p_attn.transpose(-2, -1) @ value, p_attn")],
    ),
    Mistake(
        "dropout-ignored",
        "`dropout` is never used. When one is given, apply it to the weights: p_attn = dropout(p_attn).",
        caught_by=DROPOUT,
        edits=[(DROPPED, "")],
    ),
    Mistake(
        "dropout-on-the-output",
        "`dropout` was applied to the output. It belongs on the weights, before they meet the values.",
        caught_by=DROPOUT,
        edits=[
            (DROPPED, "    output = p_attn @ value\n    if dropout is not None:\n        output = dropout(output)\n"),
            (RETURN, "return output, p_attn"),
        ],
    ),
    Mistake(
        "weights-from-before-the-dropout",
        "The output is right, but p_attn is returned as it was before the dropout. Return the weights that were used.",
        caught_by=DROPOUT,
        edits=[
            (DROPPED, "    used = p_attn if dropout is None else dropout(p_attn)\n"),
            (RETURN, "return used @ value, p_attn"),
        ],
    ),
    Mistake(
        "output-from-before-the-dropout",
        "The output was computed before the dropout; only the returned weights went through it. Drop first, then mix the values.",
        caught_by=DROPOUT,
        edits=[(DROPPED, f"    output = p_attn @ value\n{DROPPED}"), (RETURN, "return output, p_attn")],
    ),
    Mistake(
        "dropout-on-both",
        "`dropout` was applied to the weights and to the output. It belongs on the weights alone.",
        caught_by=DROPOUT,
        edits=[
            (RETURN, "output = p_attn @ value\n    return (output if dropout is None else dropout(output)), p_attn")
        ],
    ),
    Mistake(
        "dropped-twice",
        "`dropout` was applied to the weights a second time for the output, so the p_attn returned is not what the output was made "
        "with. Apply it once, keep the result, and use it for both.",
        caught_by=DROPOUT,
        edits=[(RETURN, "return (p_attn if dropout is None else dropout(p_attn)) @ value, p_attn")],
    ),
    Mistake(
        "dropped-anew-for-each",
        "`dropout` was called once for the output and once more for the p_attn returned: a real dropout drops other weights each "
        "time. Call it once, keep the result, and use it for both.",
        caught_by="test_real_dropout",
        edits=[
            (
                f"{DROPPED}    {RETURN}",
                "    if dropout is None:\n        return p_attn @ value, p_attn\n    return dropout(p_attn) @ value, dropout(p_attn)",
            )
        ],
    ),
    Mistake(
        "dropout-on-the-scores",
        "`dropout` was applied to the scores, before the softmax. It belongs on the weights, after it.",
        caught_by=DROPOUT,
        edits=[
            (DROPPED, ""),
            (SOFTMAX, "(scores if dropout is None else dropout(scores)).softmax(dim=-1)"),
        ],
    ),
    Mistake(
        "dropout-on-the-values",
        "`dropout` was applied to the values. It belongs on the weights.",
        caught_by=DROPOUT,
        edits=[(DROPPED, "    if dropout is not None:\n        value = dropout(value)\n")],
    ),
    Mistake(
        "rows-made-to-sum-to-one",
        "After the dropout the weights were divided by their sum again. Leave them as the dropout gives them.",
        caught_by=DROPOUT,
        edits=[(CALLED, f"{CALLED}\n        p_attn = p_attn / p_attn.sum(-1, keepdim=True)")],
    ),
    Mistake(
        "dropout-taken-as-a-probability",
        "`dropout` was taken for a number, a probability. It is a module (or another callable) that is applied to the weights.",
        caught_by=DROPOUT,
        edits=[(CALLED, "        p_attn = torch.nn.functional.dropout(p_attn, dropout)")],
    ),
    Mistake(
        "dropout-of-its-own",
        "The probability was read from `dropout.p` and a dropout of your own was used. Call what was passed in: dropout(p_attn).",
        caught_by=DROPOUT,
        edits=[(CALLED, "        p_attn = torch.nn.functional.dropout(p_attn, dropout.p)")],
    ),
    Mistake(
        "modules-only",
        "`dropout` is used only when it is an nn.Module. Any callable will do: ask whether it is None, nothing more.",
        caught_by="test_any_callable_will_do",
        edits=[("    if dropout is not None:", "    if isinstance(dropout, torch.nn.Module):")],
    ),
    Mistake(
        "always-a-dropout",
        "`dropout` is called even when none is given. It is None by default: ask first.",
        edits=[(DROPPED, "    p_attn = dropout(p_attn)\n")],
    ),
    Mistake(
        "float32-on-the-way",
        "The weights are float32 when they meet the values, which fails where those are float64. Take the softmax in the dtype of "
        "the scores, or cast the weights back.",
        edits=[(SOFTMAX, "scores.float().softmax(dim=-1)")],
    ),
    Mistake(
        "dtype-lost",
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        edits=[(RETURN, "return (p_attn @ value).float(), p_attn.float()")],
    ),
    Mistake(
        "detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients to query and key, so they can't be trained.",
        caught_by="test_gradients_reach_all_three",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    ),
    Mistake(
        "output-cut-off-from-the-weights",
        "The numbers are right, but the weights that make the output were detached, so query and key get no gradient from the output.",
        caught_by="test_gradients_reach_all_three",
        edits=[(RETURN, "return p_attn.detach() @ value, p_attn")],
    ),
    Mistake(
        "returned-weights-detached",
        "The p_attn that is returned was detached. A model may learn through the weights as well: return them as they are.",
        caught_by="test_gradients_reach_all_three",
        edits=[(RETURN, "return p_attn @ value, p_attn.detach()")],
    ),
    # after the two above: where no gradient comes at all, none can differ
    Mistake(
        "everything-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
        caught_by="test_gradients_reach_all_three",
        edits=[(RETURN, "return (p_attn @ value).detach(), p_attn.detach()")],
    ),
    Mistake(
        "query-overwritten",
        "The query was scaled in place (/=, *=, div_). The caller still needs it: scale a new tensor, or the scores.",
        caught_by="test_inputs_are_left_alone",
        edits=[(f"scores = {SCORES}", f"query.detach().div_({ROOT})\n    scores = {PRODUCT}")],
    ),
    kept.from_the_last_call("attention"),
    *instead_of_softmax.mistakes(
        "no-softmax",
        "divided-by-the-mean",
        "softmax-twice",
        "future-hidden",
        *instead_of_softmax.ANOTHER_FUNCTION,
        "axis-of-the-sum-lost",
        "uniform-weights",
        "negative-scores-cut-off",
        softmax=SOFTMAX,
        scores="scores",
    ),
    Mistake(
        "key-with-itself",
        "The keys were compared with themselves. The first one is the query: query · keyᵀ.",
        edits=[("scores = query @", "scores = key @")],
    ),
    Mistake(
        "key-and-value-exchanged",
        "Key and value are exchanged: the queries were compared with the values, and the weights applied to the keys.",
        edits=[("key.transpose(-2, -1)", "value.transpose(-2, -1)"), (RETURN, "return p_attn @ key, p_attn")],
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1: a batch of one, a single query or key, a width of 1. Both results keep all their axes.",
        edits=[(RETURN, "return (p_attn @ value).squeeze(), p_attn.squeeze()")],
    ),
    Mistake(
        "permuted-for-three-axes",
        "permute(0, 2, 1) works with exactly three axes. There may be more or fewer before the last two: transpose(-2, -1).",
        caught_by=LEADING,
        edits=[("key.transpose(-2, -1)", "key.permute(0, 2, 1)")],
    ),
]
