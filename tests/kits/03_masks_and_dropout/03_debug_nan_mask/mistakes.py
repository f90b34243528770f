from grader.judge.authoring import Mistake, kept_from_the_last_call

MAIN = "test_fault_is_gone"
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
        caught_by=MAIN,
        edits=[(MASK, f'mask = {ONES} * float("-inf")')],
    ),
    Mistake(
        "nan-replaced-in-the-scores",
        "NaN was replaced in the masked scores, but the scores that should be visible are lost by then: all of them became one "
        "number. Keep NaN out of the mask.",
        caught_by=MAIN,
        edits=[(MASK, f'mask = {ONES} * float("-inf")'), (RETURN, "return torch.nan_to_num(masked_scores)")],
    ),
    Mistake(
        "nan-replaced-after-the-softmax",
        "NaN was replaced after a softmax, and nothing but zeros is left. Keep NaN out of the mask; the softmax is not part of this "
        "function.",
        caught_by=MAIN,
        edits=[
            (MASK, f'mask = {ONES} * float("-inf")'),
            (RETURN, "return torch.nan_to_num(torch.softmax(masked_scores, dim=-1))"),
        ],
    ),
    Mistake(
        "nan-replaced-before-a-softmax",
        "NaN was replaced in the masked scores, where the visible scores are lost already, and a softmax was taken of the rest. Keep NaN "
        "out of the mask; the softmax is not part of this function.",
        caught_by=MAIN,
        edits=[
            (MASK, f'mask = {ONES} * float("-inf")'),
            (RETURN, "return torch.softmax(torch.nan_to_num(masked_scores), dim=-1)"),
        ],
    ),
    Mistake(
        "infinite-again-in-float64",
        "For float64 scores there is still NaN: the lowest float64 number does not fit into a float32 mask, so it became minus infinity "
        "there, and 0 times infinity is NaN. Put minus infinity in without a multiplication.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES} * torch.finfo(attention_scores.dtype).min")],
    ),
    Mistake(
        "ones-added",
        "The NaN is gone, but the mask now adds 1 to the later tokens' scores and hides nothing.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES}")],
    ),
    Mistake(
        "minus-one-added",
        "The NaN is gone, but the mask takes only 1 from the later tokens' scores and hides nothing.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = -{ONES}")],
    ),
    Mistake(
        "future-visible",
        "The NaN is gone, but so is the mask: every token sees the later ones. Is the masked copy used, and what was put in very low (-1e9, "
        "not -1e-9)?",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores")],
    ),
    Mistake(
        "mask-result-dropped",
        "masked_fill gives a new tensor back, and that was not kept, so nothing is hidden. Assign it.",
        caught_by=MAIN,
        edits=[(SUM, 'attention_scores.masked_fill(mask.bool(), float("-inf"))\n    masked_scores = attention_scores')],
        same_as="future-visible",
    ),
    Mistake(
        "all-infinities-lost",
        "nan_to_num turned both NaN and the infinities into zeros, so nothing is hidden any more. Keep NaN out of the mask in the first place.",
        caught_by=MAIN,
        edits=[(MASK, f'mask = torch.nan_to_num({ONES} * float("-inf"), nan=0.0, neginf=0.0)')],
        same_as="future-visible",
    ),
    Mistake(
        "filled-with-zero",
        "The later tokens' scores were set to 0 or to something very near it, and exp(0) is 1: they still get weight. They must become minus "
        "infinity.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask.bool(), 0.0)")],
    ),
    Mistake(
        "multiplied",
        "The scores were multiplied by the triangle, so that the later tokens' are 0: they still get weight, for exp(0) is 1.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores * torch.tril(torch.ones(seq_len, seq_len))")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "filled-with-something-tiny",
        "The later tokens' scores were set to a number very near 0, such as 1e-9. exp() of that is 1: a very negative number is wanted.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask.bool(), 1e-9)")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "past-multiplied-away",
        "The scores were multiplied by the upper triangle: on and below the diagonal they are all 0 now. Only what is hidden may change.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES}"), (SUM, "masked_scores = attention_scores * mask")],
    ),
    Mistake(
        "times-infinity",
        "The scores themselves were multiplied with the infinite mask. On and below the diagonal the mask is 0, so all visible scores "
        "are lost; above it a score becomes plus or minus infinity, by its sign. The mask is added.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores * mask")],
    ),
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden now, so the first token sees nothing and its row is NaN. It was right as given: diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0")],
        everywhere=True,
    ),
    Mistake(
        "diagonal-hidden-finite",
        "The diagonal is hidden now, too, but each token should see itself. It was right as given: diagonal=1.",
        caught_by=MAIN,
        edits=[(MASK, "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=0) * -1e9")],
    ),
    Mistake(
        "next-token-seen",
        "Each token sees the next one now (diagonal=2). It was right as given: diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=2")],
        everywhere=True,
    ),
    Mistake(
        "past-hidden",
        "The past is hidden now and the future visible. The upper triangle was right as given.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = torch.tril({FULL}, diagonal=-1)")],
    ),
    Mistake(
        "lower-triangle",
        "`triu` became `tril`, which hides the past and the token itself, and the next one. The upper triangle was right as given.",
        caught_by=MAIN,
        edits=[("torch.triu", "torch.tril")],
        everywhere=True,
    ),
    Mistake(
        "lower-triangle-finite",
        "`triu` became `tril`, which hides the past and the token itself, and the next one. The upper triangle was right as given.",
        caught_by=MAIN,
        edits=[(MASK, "mask = torch.tril(torch.ones(seq_len, seq_len), diagonal=1) * -1e9")],
    ),
    Mistake(
        "inverted",
        "What should be seen is hidden, and the future is seen. Minus infinity belongs above the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = torch.tril({FULL})")],
    ),
    Mistake(
        "inverted-finite",
        "What should be seen is hidden, and the future is seen. The low number belongs above the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, "mask = torch.tril(torch.ones(seq_len, seq_len)) * -1e9")],
    ),
    Mistake(
        "everything-hidden",
        "The mask is minus infinity everywhere: the triangle was lost in the repair.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {FULL}")],
    ),
    Mistake(
        "plus-infinity",
        "The later tokens' scores became plus infinity, of which the softmax makes NaN. It must be minus infinity.",
        caught_by=MAIN,
        edits=[('"-inf"', '"inf"')],
        everywhere=True,
    ),
    Mistake(
        "infinity-subtracted",
        "Minus infinity was subtracted, so the later tokens' scores became plus infinity. It was added as given.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores - mask")],
        same_as="plus-infinity",
    ),
    Mistake("not-low-enough", NOT_LOW_ENOUGH, caught_by=THOUSAND, edits=[(MASK, f"mask = {ONES} * -1000")]),
    Mistake("far-from-low-enough", NOT_LOW_ENOUGH, caught_by=THOUSAND, edits=[(MASK, f"mask = {ONES} * -100")]),
    Mistake(
        "filled-not-low-enough",
        NOT_LOW_ENOUGH,
        caught_by=THOUSAND,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -1000.0)")],
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
        "zeros-for-the-visible",
        "The visible scores were all set to 0, as if the mask were the result. They must stay as they were.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores * 0 + mask")],
        same_as="nan-replaced-in-the-scores",
    ),
    Mistake(
        "weights-returned",
        "A softmax was taken inside the function. It returns the masked scores; the softmax comes afterwards.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.softmax(masked_scores, dim=-1)")],
    ),
    Mistake(
        "log-weights-returned",
        "The logarithms of the weights came back. Their softmax is right, but the visible scores are not what they were.",
        caught_by=VISIBLE,
        edits=[(RETURN, "return torch.log_softmax(masked_scores, dim=-1)")],
    ),
    Mistake(
        "one-added-to-the-visible",
        "The visible scores were all moved by 1: the mask holds 1 where it should hold 0.",
        caught_by=VISIBLE,
        edits=[(MASK, f"{MASK} + 1")],
    ),
    Mistake(
        "scaled",
        "The scores were scaled as well. Nothing but the mask was wrong.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores / seq_len**0.5 + mask")],
    ),
    Mistake(
        "length-from-the-front",
        "The number of tokens is now read from the first axis, which is the batch when there is one. Read it from the last.",
        caught_by=MAIN,
        edits=[("attention_scores.shape[-1]", "attention_scores.shape[0]")],
    ),
    Mistake(
        "batch-axis-demanded",
        "The shape is taken apart into a fixed number of axes. There may be any number of leading axes, and none.",
        caught_by=MAIN,
        edits=[("seq_len = attention_scores.shape[-1]", "_, seq_len, _ = attention_scores.shape")],
    ),
    Mistake(
        "axes-added-in-front",
        "The mask has axes of its own in front now, and the result has got them too. A mask of shape (n, n) fits all scores.",
        caught_by=MAIN,
        edits=[(MASK, MASK.replace("(seq_len, seq_len)", "(1, 1, seq_len, seq_len)"))],
    ),
    Mistake(
        "float32-returned",
        "The result is always float32. Scores of float64 stay float64: nothing has to be converted here.",
        caught_by=VISIBLE,
        edits=[(RETURN, "return masked_scores.float()")],
    ),
    Mistake(
        "scores-overwritten",
        "The numbers are right, but they were written into the scores that were passed in (a method that ends in an underscore, +=, "
        "or an assignment into them). As given the function left them alone.",
        caught_by="test_scores_are_left_alone",
        edits=[(SUM, 'masked_scores = attention_scores.masked_fill_(mask < 0, float("-inf"))')],
    ),
    Mistake(
        "detached",
        "The result is right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing could be trained through it.",
        caught_by="test_gradients_still_flow",
        edits=[(SUM, "masked_scores = attention_scores.detach() + mask")],
    ),
    kept_from_the_last_call("apply_causal_mask", MAIN),
    Mistake(
        "added-minus-10",
        "The NaN is gone, but -10 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES} * -10")],
    ),
    Mistake(
        "filled-with-minus-10",
        "The NaN is gone, but -10 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -10.0)")],
    ),
    Mistake(
        "added-minus-50",
        "The NaN is gone, but -50 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=THOUSAND,
        edits=[(MASK, f"mask = {ONES} * -50")],
    ),
    Mistake(
        "filled-with-minus-50",
        "The NaN is gone, but -50 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=THOUSAND,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -50.0)")],
    ),
    Mistake(
        "added-minus-20",
        "The NaN is gone, but -20 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=THOUSAND,
        edits=[(MASK, f"mask = {ONES} * -20")],
    ),
    Mistake(
        "filled-with-minus-20",
        "The NaN is gone, but -20 was put in its place, which leaves a later token some weight. Use minus infinity, or a number such as -1e9.",
        caught_by=THOUSAND,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -20.0)")],
    ),
    Mistake(
        "filled-with-minus-one",
        "The NaN is gone, but -1 was put in its place, which hides nothing. Use minus infinity, or a number such as -1e9.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask < 0, -1.0)")],
    ),
    Mistake(
        "plus-1e9",
        "The later tokens got a very high score instead of a very low one. The sign is wrong: minus infinity, or -1e9.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES} * 1e9")],
    ),
    Mistake(
        "inverted-where",
        "The places are exchanged: torch.where, or masked_fill, took the visible ones for hidden and the later ones for visible.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores.masked_fill(mask == 0, float('-inf'))")],
    ),
    Mistake(
        "past-hidden-finite",
        "The earlier tokens are hidden and the later ones seen (tril, or a transposed mask). Hide the upper triangle.",
        caught_by=MAIN,
        same_as="past-hidden",
        edits=[(MASK, "mask = torch.tril(torch.ones(seq_len, seq_len), diagonal=-1) * -1e9")],
    ),
    Mistake(
        "next-token-seen-finite",
        "Each token still sees the next one (diagonal=2). It was right as given: diagonal=1.",
        caught_by=MAIN,
        same_as="next-token-seen",
        edits=[(MASK, "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=2) * -1e9")],
    ),
    Mistake(
        "mask-subtracted-finite",
        "A low number was subtracted, which makes the later scores very high. Add it.",
        caught_by=MAIN,
        edits=[(MASK, f"mask = {ONES} * -1e9"), (SUM, "masked_scores = attention_scores - mask")],
        same_as="plus-1e9",
    ),
    Mistake(
        "all-scores-lowered",
        "The number was added to all scores, not to the later ones only.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores - 1e9")],
    ),
    Mistake(
        "visible-scores-lost",
        "The visible scores were replaced by 0 or 1: only the mask is left of them. Keep them, and lower the later ones.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = torch.ones_like(attention_scores) + mask")],
    ),
    Mistake(
        "scores-doubled",
        "The scores were added twice. Add the mask to them once.",
        caught_by=MAIN,
        edits=[(SUM, "masked_scores = attention_scores + attention_scores + mask")],
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1: a batch of one, a sentence of one word. The result has the shape of the scores.",
        caught_by=VISIBLE,
        edits=[(RETURN, "return masked_scores.squeeze()")],
    ),
    Mistake(
        "float64-returned",
        "The result is always float64 (a mask of float64 was added). Give back the dtype of the scores.",
        caught_by=VISIBLE,
        edits=[(RETURN, "return masked_scores.double()")],
    ),
    Mistake(
        "half-mask",
        "The mask is float16, and what fits there (65504) is not far enough below scores that are not: use the dtype of the scores.",
        caught_by=MAIN,
        edits=[(RETURN, "return masked_scores.half().to(attention_scores.dtype)")],
    ),
    Mistake(
        "tuple-returned",
        "The mask came back beside the scores. Return the masked scores alone.",
        caught_by=MAIN,
        edits=[(RETURN, "return masked_scores, mask")],
    ),
]
