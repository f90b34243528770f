from families import kept, results

from grader.judge.authoring import Mistake

VISIBLE = "test_visible_scores_are_as_they_were"
THOUSAND = "test_scores_of_a_thousand"
FULL = 'torch.full((seq_len, seq_len), float("-inf"))'
MASK = f"mask = torch.triu({FULL}, diagonal=1)"
ONES = "torch.triu(torch.ones(seq_len, seq_len), diagonal=1)"
SUM = "masked_scores = attention_scores + mask"
RETURN = "return masked_scores"

NOT_LOW_ENOUGH = (
    "The NaN is gone, but what was put in its place isn't low enough: with scores of ±1000 a later token still gets weight. Use minus "
    "infinity, or a number such as -1e9."
)

MISTAKES = [
    Mistake(
        "fault-still-there",
        "There is still NaN everywhere on and below the diagonal. Print `mask` itself for three tokens: what is 0 times infinity?",
        edits=[(MASK, f'mask = {ONES} * float("-inf")')],
    ),
    Mistake(
        "nan-replaced-in-the-scores",
        "NaN was replaced in the masked scores, but the scores that should be visible are lost by then: all of them became one "
        "number. Keep NaN out of the mask.",
        edits=[(MASK, f'mask = {ONES} * float("-inf")'), (RETURN, "return torch.nan_to_num(masked_scores)")],
    ),
    Mistake(
        "nan-replaced-after-the-softmax",
        "NaN was replaced after a softmax, and nothing but zeros is left. Keep NaN out of the mask; the softmax is not part of this "
        "function.",
        edits=[
            (MASK, f'mask = {ONES} * float("-inf")'),
            (RETURN, "return torch.nan_to_num(torch.softmax(masked_scores, dim=-1))"),
        ],
    ),
    Mistake(
        "nan-replaced-before-a-softmax",
        "NaN was replaced in the masked scores, where the visible scores are lost already, and a softmax was taken of the rest. Keep NaN "
        "out of the mask; the softmax is not part of this function.",
        edits=[
            (MASK, f'mask = {ONES} * float("-inf")'),
            (RETURN, "return torch.softmax(torch.nan_to_num(masked_scores), dim=-1)"),
        ],
    ),
    Mistake(
        "ones-added",
        "The NaN is gone, but the mask now adds 1 to the later tokens' scores and hides nothing.",
        edits=[(MASK, f"mask = {ONES}")],
    ),
    Mistake(
        "minus-one-added",
        "The NaN is gone, but the mask takes only 1 from the later tokens' scores and hides nothing.",
        edits=[(MASK, f"mask = -{ONES}")],
    ),
    Mistake(
        "future-visible",
        "The NaN is gone, but so is the mask: every token sees the later ones. Is the masked copy used, and what was put in very low (-1e9, "
        "not -1e-9)?",
        edits=[(SUM, "masked_scores = attention_scores")],
    ),
    Mistake(
        "filled-with-zero",
        "The later tokens' scores were set to 0 or to something very near it, and exp(0) is 1: they still get weight. They must become minus "
        "infinity.",
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask.bool(), 0.0)")],
    ),
    Mistake(
        "times-infinity",
        "The scores themselves were multiplied with the infinite mask. On and below the diagonal the mask is 0, so all visible scores "
        "are lost; above it a score becomes plus or minus infinity, by its sign. The mask is added.",
        edits=[(SUM, "masked_scores = attention_scores * mask")],
    ),
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden now, so the first token sees nothing and its row is NaN. It was right as given: diagonal=1.",
        edits=[("diagonal=1", "diagonal=0")],
        everywhere=True,
    ),
    Mistake(
        "next-token-seen",
        "Each token sees the next one now (diagonal=2). It was right as given: diagonal=1.",
        edits=[("diagonal=1", "diagonal=2")],
        everywhere=True,
    ),
    Mistake(
        "past-hidden",
        "The past is hidden now and the future visible. The upper triangle was right as given.",
        edits=[(MASK, f"mask = torch.tril({FULL}, diagonal=-1)")],
    ),
    Mistake(
        "lower-triangle",
        "`triu` became `tril`, which hides the past and the token itself, and the next one. The upper triangle was right as given.",
        edits=[("torch.triu", "torch.tril")],
        everywhere=True,
    ),
    Mistake(
        "inverted",
        "What should be seen is hidden, and the future is seen. Minus infinity belongs above the diagonal.",
        edits=[(MASK, f"mask = torch.tril({FULL})")],
    ),
    Mistake(
        "inverted-finite",
        "What should be seen is hidden, and the future is seen. The low number belongs above the diagonal.",
        edits=[(MASK, "mask = torch.tril(torch.ones(seq_len, seq_len)) * -1e9")],
    ),
    Mistake(
        "everything-hidden",
        "The mask is minus infinity everywhere: the triangle was lost in the repair.",
        edits=[(MASK, f"mask = {FULL}")],
    ),
    Mistake(
        "plus-infinity",
        "The later tokens' scores became plus infinity, of which the softmax makes NaN. It must be minus infinity.",
        edits=[('"-inf"', '"inf"')],
        everywhere=True,
    ),
    Mistake(
        "filled-far-from-low-enough",
        NOT_LOW_ENOUGH,
        caught_by=THOUSAND,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -100.0)")],
    ),
    Mistake(
        "mask-returned",
        "The mask came back alone. What is wanted are the scores with the mask added.",
        caught_by=VISIBLE,
        edits=[(RETURN, "return mask")],
    ),
    Mistake(
        "weights-returned",
        "A softmax was taken inside the function. It returns the masked scores; the softmax comes afterwards.",
        edits=[(RETURN, "return torch.softmax(masked_scores, dim=-1)")],
    ),
    Mistake(
        "scaled",
        "The scores were scaled as well. Nothing but the mask was wrong.",
        edits=[(SUM, "masked_scores = attention_scores / seq_len**0.5 + mask")],
    ),
    Mistake(
        "length-from-the-front",
        "The number of tokens is now read from the first axis, which is the batch when there is one. Read it from the last.",
        edits=[("attention_scores.shape[-1]", "attention_scores.shape[0]")],
    ),
    Mistake(
        "batch-axis-demanded",
        "The shape is taken apart into a fixed number of axes. There may be any number of leading axes, and none.",
        edits=[("seq_len = attention_scores.shape[-1]", "_, seq_len, _ = attention_scores.shape")],
    ),
    Mistake(
        "axes-added-in-front",
        "The mask has axes of its own in front now, and the result has got them too. A mask of shape (n, n) fits all scores.",
        edits=[(MASK, MASK.replace("(seq_len, seq_len)", "(1, 1, seq_len, seq_len)"))],
    ),
    results.returned("float32-only", "masked_scores", VISIBLE),
    Mistake(
        "scores-overwritten",
        "The numbers are right, but they were written into the scores that were passed in (a method that ends in an underscore, +=, "
        "or an assignment into them). As given the function left them alone.",
        caught_by="test_scores_are_left_alone",
        edits=[(SUM, 'masked_scores = attention_scores.masked_fill_(mask < 0, float("-inf"))')],
    ),
    results.returned("detached", "masked_scores", "test_gradients_still_flow"),
    kept.from_the_last_call("apply_causal_mask"),
    Mistake(
        "plus-1e9",
        "The later tokens got a very high score instead of a very low one. The sign is wrong: minus infinity, or -1e9.",
        edits=[(MASK, f"mask = {ONES} * 1e9")],
    ),
    Mistake(
        "tuple-returned",
        "The mask came back beside the scores. Return the masked scores alone.",
        edits=[(RETURN, "return masked_scores, mask")],
    ),
]
