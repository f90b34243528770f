from families import kept, results

from grader.judge.authoring import Mistake

CALLED = "test_library_does_the_work"
GRADIENTS = "test_gradients_reach_queries_keys_and_values"
MASK = "attn_mask=~hidden"
BY_HAND = "torch.softmax((query @ key.mT / query.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf), dim=-1) @ value"
CALL = f"F.scaled_dot_product_attention(query, key, value, {MASK})"

MISTAKES = [
    Mistake(
        "mask-not-inverted",
        "The mask went to the library as it is. There, True means that a place takes part; in `hidden`, True means hidden. "
        "Pass the opposite of `hidden`.",
        edits=[("~hidden", "hidden")],
    ),
    Mistake(
        "causal-flag-instead",
        "is_causal=True hides the later tokens, whatever `hidden` says. Pass the opposite of `hidden` as attn_mask instead.",
        edits=[(MASK, "is_causal=True")],
    ),
    Mistake(
        "causal-flag-as-well",
        "is_causal=True was given together with a mask; the library takes only one of the two. The mask alone is enough: leave is_causal out.",
        edits=[(MASK, f"{MASK}, is_causal=True")],
    ),
    Mistake(
        "causal-triangle-as-well",
        "Later keys are hidden as well, on top of what `hidden` says. Only the given mask counts.",
        edits=[("~hidden", "~hidden & torch.ones_like(hidden).tril()")],
    ),
    Mistake(
        "no-mask",
        "The mask was not used: every query sees every key. Pass the opposite of `hidden` as attn_mask.",
        edits=[(f", {MASK}", "")],
    ),
    Mistake(
        "no-scale",
        "The scale was set to 1. The library's own scale, 1/√d, is the right one: leave `scale` out.",
        edits=[(MASK, f"{MASK}, scale=1.0")],
    ),
    Mistake(
        "scale-upside-down",
        "`scale` was set to √d, or the query was multiplied by d. The scores are multiplied by `scale`, and the library takes 1/√d by itself: leave "
        "`scale` out.",
        edits=[(MASK, f"{MASK}, scale=query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "scaled-twice",
        "The scores were divided by √d twice, or by d: the library divides by √d already. Pass query and key as they are, and no `scale`.",
        edits=[("(query,", "(query / query.shape[-1] ** 0.5,")],
    ),
    Mistake(
        "scale-from-values",
        "The scale was taken from the width of the values. It comes from the width of query and key; leave `scale` out.",
        edits=[(MASK, f"{MASK}, scale=value.shape[-1] ** -0.5")],
    ),
    Mistake(
        "mask-added-as-ones",
        "The mask was turned into the numbers 0 and 1. A mask of numbers is added to the scores, so it hides nothing: keep it "
        "boolean, or make it 0 and minus infinity.",
        edits=[("~hidden", "(~hidden).to(query.dtype)")],
    ),
    Mistake(
        "hidden-ones-added",
        "`hidden` was turned into the numbers 0 and 1. A mask of numbers is added to the scores, so the hidden places even gain "
        "weight: keep it boolean, and pass its opposite.",
        edits=[("~hidden", "hidden.to(query.dtype)")],
    ),
    Mistake(
        "zero-times-infinity",
        "The mask was multiplied by minus infinity: at the visible places that is 0 times infinity, which is NaN. Use masked_fill, or pass the "
        "opposite of the boolean mask.",
        edits=[("~hidden", "hidden.to(query.dtype) * -torch.inf")],
    ),
    Mistake(
        "mask-transposed",
        "The mask was transposed. Its rows are the queries and its columns the keys already.",
        edits=[("~hidden", "~hidden.mT")],
    ),
    Mistake(
        "keys-and-values-swapped",
        "Key and value are exchanged in the call. The order is query, key, value.",
        edits=[("(query, key, value,", "(query, value, key,")],
    ),
    Mistake(
        "keys-as-values",
        "The keys were passed as the values, too. The order is query, key, value.",
        edits=[("(query, key, value,", "(query, key, key,")],
    ),
    Mistake(
        "dropout",
        "dropout_p is not 0, so weights are dropped at random. The library does that in evaluation too; leave dropout_p out.",
        edits=[(MASK, f"{MASK}, dropout_p=0.1")],
    ),
    Mistake(
        "by-hand",
        "The formula was written out by hand. The numbers are right, but this exercise asks you to call the library's "
        "scaled_dot_product_attention.",
        caught_by=CALLED,
        edits=[(CALL, BY_HAND)],
    ),
    Mistake(
        "single-precision",
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        edits=[
            (CALL, "F.scaled_dot_product_attention(query.float(), key.float(), value.float(), attn_mask=~hidden)"),
        ],
    ),
    Mistake(
        "mask-overwritten",
        "The mask was inverted in place, so the caller's mask is wrong afterwards. Make a new tensor.",
        caught_by="test_inputs_are_left_alone",
        edits=[("~hidden", "hidden.logical_not_()")],
    ),
    results.returned("detached", "F.scaled_dot_product_attention(query, key, value, attn_mask=~hidden)", GRADIENTS),
    kept.from_the_last_call("sdpa"),
    Mistake(
        "minus-100-for-hidden",
        "The mask was turned into numbers that are not low enough: a hidden key with a high score still comes through. Pass a "
        "boolean mask, or use -inf.",
        edits=[(MASK, "attn_mask=hidden.to(query.dtype) * -100.0")],
    ),
    # --- the call, mixed up in other ways
    Mistake(
        "filled-with-plus-infinity",
        "The mask was turned into numbers with +inf for hidden places, which makes every row that hides something NaN. Pass the opposite of `hidden`, or minus infinity.",
        edits=[("~hidden", "torch.zeros_like(hidden, dtype=query.dtype).masked_fill(hidden, torch.inf)")],
    ),
    Mistake(
        "filled-with-minus-ten",
        "Hidden scores were filled with -10, not far enough below the others, so hidden keys keep some weight. Pass a boolean mask, or use -inf.",
        edits=[(CALL, BY_HAND.replace("-torch.inf", "-10.0"))],
    ),
    Mistake(
        "values-as-keys",
        "The values were passed as the keys, too. The order is query, key, value.",
        edits=[("(query, key, value,", "(query, value, value,")],
    ),
    Mistake(
        "queries-and-keys-swapped",
        "Query and key are exchanged in the call. The order is query, key, value.",
        edits=[("(query, key, value,", "(key, query, value,")],
    ),
    results.returned("squeezed", "F.scaled_dot_product_attention(query, key, value, attn_mask=~hidden)"),
    Mistake(
        "softmax-by-hand-over-queries",
        "The softmax runs over the queries. Each query spreads its weight over the keys: the library does all of this by itself.",
        edits=[(CALL, BY_HAND.replace("dim=-1", "dim=-2"))],
    ),
]
