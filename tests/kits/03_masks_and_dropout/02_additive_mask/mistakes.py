from grader.judge.authoring import Mistake

MAIN = "test_hides_exactly_the_later_tokens"
RETURN = "return torch.triu(full, diagonal=1)"
SHAPE = "(1, max_seq_len, max_seq_len)"
ONES = f"torch.ones({SHAPE})"
FULL = f'torch.full({SHAPE}, float("-inf"))'
LATER = f"{ONES}.triu(1)"

FINITE = (
    "The hidden places hold a very large negative number. It would hide them in a softmax, too, but this mask is made of exactly 0 and "
    "minus infinity."
)

MISTAKES = [
    Mistake(
        "nan-from-zero-times-infinity",
        "A triangle of ones was multiplied by minus infinity, and 0 times infinity is NaN. Begin with a matrix that is full of "
        "minus infinity, and cut the triangle out of it.",
        caught_by=MAIN,
        edits=[(RETURN, f'return {LATER} * float("-inf")')],
    ),
    Mistake(
        "no-leading-axis",
        "The numbers are right, but the batch axis of size 1 in front is missing: the shape is (1, n, n).",
        caught_by=MAIN,
        edits=[(SHAPE, "(max_seq_len, max_seq_len)")],
    ),
    Mistake(
        "no-leading-axis-and-nan",
        "The batch axis of size 1 in front is missing, and 0 times infinity is NaN. Begin with a matrix of shape (1, n, n) that is full "
        "of minus infinity, and cut the triangle out of it.",
        caught_by=MAIN,
        edits=[(RETURN, 'return torch.ones(max_seq_len, max_seq_len).triu(1) * float("-inf")')],
    ),
    Mistake(
        "no-leading-axis-and-finite",
        "The batch axis of size 1 in front is missing, and the hidden places hold -1e9 where minus infinity is wanted.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.ones(max_seq_len, max_seq_len).triu(1) * -1e9")],
    ),
    Mistake(
        "axis-for-the-heads-too",
        "There are two axes of size 1 in front, as for several heads. Here it is only one, for the batch.",
        caught_by=MAIN,
        edits=[(SHAPE, "(1, 1, max_seq_len, max_seq_len)")],
    ),
    Mistake(
        "axis-in-the-middle",
        "The axis of size 1 is in the middle, (n, 1, n). It belongs in front: (1, n, n).",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).transpose(0, 1)")],
    ),
    Mistake(
        "axis-at-the-end",
        "The axis of size 1 is at the end, (n, n, 1). It belongs in front: (1, n, n).",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).movedim(0, 2)")],
    ),
    Mistake(
        "lower-triangle",
        "The past is hidden and the future is visible: the triangle lies below the diagonal. The later keys are to the right of it.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.tril(full, diagonal=-1)")],
    ),
    Mistake(
        "inverted",
        "The lower triangle is hidden, the diagonal with it, and the later keys are visible. Minus infinity belongs above the diagonal only.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.tril(full)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`: everything up to the next token is hidden, and only what comes after it is visible. Keep "
        "the upper triangle.",
        caught_by=MAIN,
        edits=[("torch.triu", "torch.tril")],
    ),
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden too, so no token sees itself, and the first one sees nothing at all. Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "one-step-too-late",
        "Every token still sees the one right after it (diagonal=2). Begin at diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "one-step-too-early",
        "The diagonal and the places just below it are hidden too (diagonal=-1). The hidden triangle begins one step to the right of "
        "the diagonal: diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=-1")],
    ),
    Mistake(
        "minus-1e9",
        FINITE,
        caught_by=MAIN,
        edits=[('float("-inf")', "-1e9")],
    ),
    Mistake(
        "minus-1e4",
        FINITE,
        caught_by=MAIN,
        edits=[('float("-inf")', "-1e4")],
        same_as="minus-1e9",
    ),
    Mistake(
        "minus-1e20",
        FINITE,
        caught_by=MAIN,
        edits=[('float("-inf")', "-1e20")],
        same_as="minus-1e9",
    ),
    *[
        Mistake(
            f"minus-{number}",
            f"The hidden places hold -{number}. A hidden score that is higher than the others by as much would still get a weight: put "
            "minus infinity there.",
            caught_by=MAIN,
            edits=[('float("-inf")', f"-{number}")],
            same_as="minus-1e9",
        )
        for number in ("100.0", "1000.0")
    ],
    *[
        Mistake(
            f"minus-{number}",
            FINITE,
            caught_by=MAIN,
            edits=[('float("-inf")', f"-{number}")],
            same_as="minus-1e9",
        )
        for number in ("65504.0", "1e5", "1e6", "1e7", "1e8", "1e10", "1e12", "1e15", "1e30")
    ],
    Mistake(
        "smallest-finite-number",
        "The hidden places hold the lowest number there is in float32, not minus infinity (finfo.min was filled in, or nan_to_num "
        "replaced the infinities too). This mask is made of exactly 0 and minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "torch.finfo(torch.float32).min")],
        same_as="minus-1e9",
    ),
    Mistake(
        "plus-infinity",
        "The hidden places hold plus infinity, which makes NaN of the softmax. It is minus infinity that becomes 0 there.",
        caught_by=MAIN,
        edits=[('"-inf"', '"inf"')],
    ),
    Mistake(
        "boolean",
        "This is the boolean mask of the exercise before. A mask to be added holds 0 and minus infinity.",
        caught_by=MAIN,
        edits=[(RETURN, f"return {LATER}.bool()")],
    ),
    Mistake(
        "ones-for-infinity",
        "The hidden places hold 1. Added to the scores, 1 hides nothing: put minus infinity there.",
        caught_by=MAIN,
        edits=[(RETURN, f"return {LATER}")],
    ),
    Mistake(
        "ones-for-visible",
        "1 means visible here and 0 hidden, as in a mask to multiply with. This one is added: 0 leaves a score as it is, and minus "
        "infinity hides it.",
        caught_by=MAIN,
        edits=[(RETURN, f"return {ONES}.tril()")],
    ),
    Mistake(
        "ones-and-infinity",
        "The visible places hold 1, which changes a score when it is added. They must hold 0.",
        caught_by=MAIN,
        edits=[(RETURN, f'return {ONES}.masked_fill({LATER}.bool(), float("-inf"))')],
    ),
    Mistake(
        "weights",
        "A softmax was taken of the mask already. Return the mask itself: the softmax comes after it was added to the scores.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).softmax(-1)")],
    ),
    Mistake(
        "nothing-hidden",
        "Nothing is hidden: every place is 0. masked_fill, for one, gives a new tensor back; is its result kept?",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.zeros_like(full)")],
    ),
    Mistake(
        "everything-hidden",
        "Every place is minus infinity. Keep only the triangle above the diagonal.",
        caught_by=MAIN,
        edits=[(RETURN, "return full")],
    ),
    Mistake(
        "float64",
        "The numbers are right, but they came as float64 (from NumPy?). Torch's default float dtype is wanted, which is float32.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).double()")],
    ),
    Mistake(
        "float16",
        "The numbers are right, but they came as float16. Torch's default float dtype is wanted, which is float32.",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).half()")],
    ),
    Mistake(
        "nested-list",
        "The pattern came as nested lists. Make it a tensor: torch.tensor(...).",
        caught_by=MAIN,
        edits=[(RETURN, "return torch.triu(full, diagonal=1).tolist()")],
    ),
    Mistake(
        "four-tokens-only",
        "The mask is always that of four tokens. Its size comes from `max_seq_len`.",
        caught_by=MAIN,
        edits=[(SHAPE, "(1, 4, 4)")],
    ),
    Mistake(
        "one-size-too-large",
        "The mask is one row and one column too large. Its size is `max_seq_len`.",
        caught_by=MAIN,
        edits=[(SHAPE, "(1, max_seq_len + 1, max_seq_len + 1)")],
    ),
    Mistake(
        "squeezed",
        "With one token the mask has lost its axes: a squeeze takes every axis of size 1 away. It should be (1, 1, 1).",
        caught_by="test_one_token_sees_itself",
        edits=[(RETURN, "return torch.triu(full, diagonal=1).squeeze()[None]")],
    ),
    Mistake(
        "plus-1e9",
        "The hidden places hold a very large positive number, which would make them the only ones seen. Fill in minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "1e9")],
    ),
    Mistake(
        "plus-largest-number",
        "The hidden places hold the largest number there is, which would make them the only ones seen (an infinity with the wrong sign?). Fill in minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "torch.finfo(torch.float32).max")],
        same_as="plus-1e9",
    ),
    Mistake(
        "minus-1",
        "The hidden places hold -1.0, which hides nothing: added to a score it leaves it a weight. Fill in minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "-1.0")],
    ),
    Mistake(
        "minus-10",
        "The hidden places hold -10.0, which hides nothing: added to a score it leaves it a weight. Fill in minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "-10.0")],
    ),
    Mistake(
        "almost-zero",
        "The hidden places hold -1e-9, which hides nothing: added to a score it leaves it a weight. Fill in minus infinity.",
        caught_by=MAIN,
        edits=[('float("-inf")', "-1e-9")],
    ),
    Mistake(
        "no-leading-axis-and-lower-triangle",
        "The axis of size 1 in front is missing, and the earlier tokens are hidden instead of the later ones.",
        caught_by=MAIN,
        edits=[("torch.triu(full, diagonal=1)", "torch.tril(full, diagonal=-1)[0]")],
    ),
    Mistake(
        "no-leading-axis-and-boolean",
        "This is a boolean mask without the axis in front. Here hidden places hold minus infinity, the others 0: (1, n, n).",
        caught_by=MAIN,
        edits=[("torch.triu(full, diagonal=1)", "torch.ones(max_seq_len, max_seq_len).triu(1).bool()")],
    ),
    Mistake(
        "nan-in-the-visible",
        "The visible places are NaN: minus infinity was multiplied by 0 or nan_to_num came too late. Cut a full -inf matrix with triu.",
        caught_by=MAIN,
        edits=[("torch.triu(full, diagonal=1)", "torch.triu(full, diagonal=1) + torch.tril(full) * 0")],
        same_as="nan-from-zero-times-infinity",
    ),
    Mistake(
        "all-hidden-but-zeros-below",
        "The visible places hold 1, the hidden ones minus infinity, and the axis in front is missing. Visible is 0: (1, n, n).",
        caught_by=MAIN,
        edits=[
            (
                "torch.triu(full, diagonal=1)",
                "torch.ones(max_seq_len, max_seq_len).masked_fill(torch.ones(max_seq_len, max_seq_len).triu(1).bool(), float('-inf'))",
            )
        ],
    ),
    Mistake(
        "batch-of-n",
        "The mask was repeated for a batch. One axis of size 1 in front is enough: it is broadcast.",
        caught_by=MAIN,
        edits=[("torch.triu(full, diagonal=1)", "torch.triu(full, diagonal=1).repeat(max_seq_len, 1, 1)")],
    ),
    Mistake(
        "logarithm-of-the-hidden",
        "The logarithm was taken of the wrong triangle: log(0) is minus infinity, so ones must stand where a token may look.",
        caught_by=MAIN,
        edits=[("torch.triu(full, diagonal=1)", "torch.ones(1, max_seq_len, max_seq_len).triu(1).log()")],
        same_as="inverted",
    ),
]
