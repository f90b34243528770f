from families import kept, results

from grader.judge.authoring import Mistake

TOKENS = "test_tokens_keep_their_scores"
KINDS = "test_any_kind_of_mask_on_either_side"
HALF = "test_half_precision_and_large_scores"
PADDING = "padding = attention_mask[:, None, None, :] == 0"
FILL = 'scores.masked_fill(padding, float("-inf"))'
RETURN = f"return {FILL}"
AS_FLOAT = "attention_mask[:, None, None, :].to(scores.dtype)"

INVERTED = (
    "The tokens were hidden and the padding seen. In `attention_mask` 1 stands for a token and 0 for padding, the other way round than in "
    "the boolean masks before."
)
WRONG_AXIS = (
    "The mask, (b, k), was left to broadcasting as it is. That lines its axes up from the right, as (query, key), so it fits only where "
    "b equals q, and then query i gets the padding of sequence i. Give it axes for heads and queries: (b, 1, 1, k)."
)
MISSING_AXIS = "The mask has been given one new axis only, (b, 1, k), so the batch is lined up with the heads. It takes two: (b, 1, 1, k)."
QUERIES = "The padding was hidden as queries (rows), not as keys. What no query may look at are keys, the last axis: (b, 1, 1, k)."
NOT_LOW_ENOUGH = (
    "The number filled in for the padding isn't low enough: with scores of ±1000 it still gets weight. Fill in minus infinity, or a "
    "number such as -1e4."
)

MISTAKES = [
    # --- the axes
    Mistake("queries-masked", QUERIES, edits=[("[:, None, None, :]", "[:, None, :, None]")]),
    Mistake(
        "queries-masked-finite",
        QUERIES,
        edits=[("[:, None, None, :]", "[:, None, :, None]"), ('float("-inf")', "-1e4")],
    ),
    Mistake(
        "queries-masked-as-well",
        "Rows of padding were hidden too, not only columns. Leave every query as it is: only keys are hidden.",
        edits=[
            (PADDING, "padding = (attention_mask[:, None, None, :] == 0) | (attention_mask[:, None, :, None] == 0)")
        ],
    ),
    Mistake("no-axes-added", WRONG_AXIS, edits=[("[:, None, None, :]", "")]),
    Mistake("one-axis-added", MISSING_AXIS, edits=[("[:, None, None, :]", "[:, None, :]")]),
    Mistake(
        "axes-at-the-end",
        "The new axes are at the end, (b, k, 1, 1), so the keys are lined up with the heads. They belong between batch and keys.",
        edits=[("[:, None, None, :]", "[:, :, None, None]")],
    ),
    Mistake(
        "padding-of-any-sequence",
        "A place was hidden in every sequence as soon as one of them has padding there. Each has its own row of `attention_mask`.",
        edits=[(PADDING, "padding = (attention_mask == 0).any(0)[None, None, None, :]")],
    ),
    Mistake(
        "first-sequence-for-all",
        "Every sequence was masked by the padding of the first. Each has its own row of `attention_mask`.",
        edits=[("attention_mask[:, None, None, :]", "attention_mask[:1, None, None, :]")],
    ),
    # --- which way round
    Mistake("inverted", INVERTED, edits=[("== 0", "!= 0")]),
    Mistake("inverted-finite", INVERTED, edits=[("== 0", "!= 0"), ('float("-inf")', "-1e4")]),
    Mistake(
        "mask-ignored",
        "The padding is not hidden at all. masked_fill returns a new tensor: keep it. And is what is filled in or added very low (-1e9, not -1e-9)?",
        edits=[(RETURN, "return scores")],
    ),
    # --- what is filled in
    Mistake(
        "multiplied",
        "The scores of the padding are 0, or next to it: multiplied by the mask, or filled with 0 or 1e-9. exp(0) is 1, so the padding still "
        "gets weight. Fill in minus infinity.",
        edits=[(RETURN, f"return scores * {AS_FLOAT}")],
    ),
    Mistake(
        "mask-added",
        "The mask of 0 and 1 was added to the scores, which hides nothing. What is added must be 0 for tokens and very low for padding.",
        edits=[(RETURN, f"return scores + {AS_FLOAT}")],
    ),
    Mistake(
        "zero-times-infinity",
        "The mask was multiplied by infinity, and 0 times infinity is NaN, so the tokens' scores became NaN. Use masked_fill or torch.where.",
        edits=[(RETURN, f'return scores + (1 - {AS_FLOAT}) * float("-inf")')],
    ),
    Mistake(
        "plus-infinity",
        "Plus infinity was filled in, of which the softmax makes NaN. Hidden scores become minus infinity.",
        edits=[('"-inf"', '"inf"')],
    ),
    Mistake("fill-far-from-low-enough", NOT_LOW_ENOUGH, caught_by=HALF, edits=[('float("-inf")', "-100.0")]),
    Mistake(
        "fill-too-large-for-float16",
        "A number like -1e20 or -1e9 was filled into float16 scores, and float16 ends at 65504. Minus infinity and -1e4 fit into every dtype, "
        "and so does torch.finfo(scores.dtype).min.",
        caught_by=HALF,
        edits=[('float("-inf")', 'float("-1e20")')],
    ),
    # --- the kinds of masks
    Mistake(
        "integers-only",
        "Booleans can't be subtracted from 1. The mask may be integer, boolean or float: compare it with 0, or convert it first.",
        caught_by=KINDS,
        edits=[(PADDING, "padding = (1 - attention_mask[:, None, None, :]).bool()")],
    ),
    Mistake(
        "booleans-only",
        "`~` inverts booleans only: of the integers 0 and 1 it makes -1 and -2, and with floats it fails. Compare the mask with 0 instead.",
        edits=[(PADDING, "padding = ~attention_mask[:, None, None, :]")],
    ),
    Mistake(
        "not-of-integers",
        "`~` makes -1 and -2 of the integers 0 and 1, and both count as True: everything is hidden. Compare the mask with 0 instead.",
        edits=[(PADDING, "padding = (~attention_mask[:, None, None, :]).bool()")],
    ),
    Mistake(
        "right-padding-only",
        "The tokens were only counted, as if they were always in front. Padding may be on the left as well: look at each place.",
        edits=[
            (
                PADDING,
                "counts = attention_mask.long().sum(1)[:, None, None, None]\n"
                "    padding = torch.arange(scores.shape[-1]) >= counts",
            )
        ],
    ),
    # --- too much
    Mistake(
        "causal-as-well",
        "Later tokens were hidden as well. This mask is about padding only.",
        edits=[
            (PADDING, PADDING.replace("attention", "(attention") + ") | torch.ones(scores.shape[-2:]).triu(1).bool()")
        ],
    ),
    Mistake(
        "weights-returned",
        "A softmax was taken inside the function. It returns the masked scores; the softmax comes afterwards.",
        edits=[(RETURN, f"return torch.softmax({FILL}, dim=-1)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The softmax was taken first and the padding's weights set to 0 afterwards. Only the scores are masked here.",
        edits=[(RETURN, "return torch.softmax(scores, dim=-1).masked_fill(padding, 0.0)")],
    ),
    Mistake(
        "mask-returned",
        "The mask came back alone, with 0 for every token. What is wanted are the scores, with the padding's changed.",
        edits=[(RETURN, 'return torch.zeros_like(scores).masked_fill(padding, float("-inf"))')],
    ),
    Mistake(
        "padding-cut-out",
        "The padding was cut out, so the result is shorter than the scores. Keep the shape: hidden keys stay, with a very low score.",
        edits=[(RETURN, "return scores[..., ~padding[0, 0, 0]]")],
    ),
    Mistake(
        "float32-returned",
        "The scores came back as float32 whatever they were. Return the dtype that came in.",
        caught_by=TOKENS,
        edits=[("scores.masked", "scores.float().masked")],
    ),
    Mistake(
        "mask-decides-the-dtype",
        "float16 scores came back as float32: adding a float32 mask to them does that. Convert the mask to scores.dtype first.",
        caught_by=HALF,
        edits=[(RETURN, "return scores + padding.float() * -1e9")],
    ),
    Mistake(
        "scores-overwritten",
        "masked_fill_ with the trailing underscore writes into the scores that were passed in. Use masked_fill, which makes a new tensor.",
        caught_by="test_scores_and_mask_are_left_alone",
        edits=[("masked_fill(", "masked_fill_(")],
    ),
    Mistake(
        "mask-overwritten",
        "The mask that was passed in was changed in place. Others use it too: work on a new tensor.",
        caught_by="test_scores_and_mask_are_left_alone",
        edits=[(RETURN, f"result = {FILL}\n    attention_mask.logical_not_()\n    return result")],
    ),
    results.returned("detached", FILL, "test_gradients_reach_the_scores"),
    kept.from_the_last_call("apply_padding_mask"),
    Mistake(
        "fill-of-minus-10",
        "The padding was filled with -10.0, which leaves it some weight. Fill in minus infinity, or a number such as -1e4.",
        edits=[('float("-inf")', "-10.0")],
    ),
    results.returned("squeezed", FILL),
    Mistake(
        "tuple-returned",
        "Two values came back. Return the masked scores alone.",
        edits=[(RETURN, f"return {FILL}, padding")],
    ),
]
