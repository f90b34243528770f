from families import results

from grader.judge.authoring import Mistake

RETURN = "return torch.triu(full, diagonal=1)"
SHAPE = "(1, max_seq_len, max_seq_len)"
ONES = f"torch.ones({SHAPE})"
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
        edits=[(RETURN, f'return {LATER} * float("-inf")')],
    ),
    Mistake(
        "no-leading-axis",
        "The numbers are right, but the batch axis of size 1 in front is missing: the shape is (1, n, n).",
        edits=[(SHAPE, "(max_seq_len, max_seq_len)")],
    ),
    Mistake(
        "no-leading-axis-and-nan",
        "The batch axis of size 1 in front is missing, and 0 times infinity is NaN. Begin with a matrix of shape (1, n, n) that is full "
        "of minus infinity, and cut the triangle out of it.",
        edits=[(RETURN, 'return torch.ones(max_seq_len, max_seq_len).triu(1) * float("-inf")')],
    ),
    Mistake(
        "axis-for-the-heads-too",
        "There are two axes of size 1 in front, as for several heads. Here it is only one, for the batch.",
        edits=[(SHAPE, "(1, 1, max_seq_len, max_seq_len)")],
    ),
    Mistake(
        "lower-triangle",
        "The past is hidden and the future is visible: the triangle lies below the diagonal. The later keys are to the right of it.",
        edits=[(RETURN, "return torch.tril(full, diagonal=-1)")],
    ),
    Mistake(
        "inverted",
        "The lower triangle is hidden, the diagonal with it, and the later keys are visible. Minus infinity belongs above the diagonal only.",
        edits=[(RETURN, "return torch.tril(full)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`: everything up to the next token is hidden, and only what comes after it is visible. Keep "
        "the upper triangle.",
        edits=[("torch.triu", "torch.tril")],
    ),
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden too, so no token sees itself, and the first one sees nothing at all. Begin at diagonal=1.",
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "one-step-too-late",
        "Every token still sees the one right after it (diagonal=2). Begin at diagonal=1.",
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "minus-1e9",
        FINITE,
        edits=[('float("-inf")', "-1e9")],
    ),
    *[
        Mistake(
            f"minus-{number}",
            FINITE,
            edits=[('float("-inf")', f"-{number}")],
            same_as="minus-1e9",
        )
        for number in ("1e4", "1e5", "1e6", "1e10")
    ],
    Mistake(
        "plus-infinity",
        "The hidden places hold plus infinity, which makes NaN of the softmax. It is minus infinity that becomes 0 there.",
        edits=[('"-inf"', '"inf"')],
    ),
    Mistake(
        "boolean",
        "This is the boolean mask of the exercise before. A mask to be added holds 0 and minus infinity.",
        edits=[(RETURN, f"return {LATER}.bool()")],
    ),
    Mistake(
        "ones-for-infinity",
        "The hidden places hold 1. Added to the scores, 1 hides nothing: put minus infinity there.",
        edits=[(RETURN, f"return {LATER}")],
    ),
    Mistake(
        "ones-and-infinity",
        "The visible places hold 1, which changes a score when it is added. They must hold 0.",
        edits=[(RETURN, f'return {ONES}.masked_fill({LATER}.bool(), float("-inf"))')],
    ),
    Mistake(
        "nothing-hidden",
        "Nothing is hidden: every place is 0. masked_fill, for one, gives a new tensor back; is its result kept?",
        edits=[(RETURN, "return torch.zeros_like(full)")],
    ),
    Mistake(
        "everything-hidden",
        "Every place is minus infinity. Keep only the triangle above the diagonal.",
        edits=[(RETURN, "return full")],
    ),
    results.returned("float64-returned", "torch.triu(full, diagonal=1)"),
    results.returned("plain-numbers", "torch.triu(full, diagonal=1)"),
    Mistake(
        "four-tokens-only",
        "The mask is always that of four tokens. Its size comes from `max_seq_len`.",
        edits=[(SHAPE, "(1, 4, 4)")],
    ),
    Mistake(
        "plus-1e9",
        "The hidden places hold a very large positive number, which would make them the only ones seen. Fill in minus infinity.",
        edits=[('float("-inf")', "1e9")],
    ),
    Mistake(
        "minus-1",
        "The hidden places hold -1.0, which hides nothing: added to a score it leaves it a weight. Fill in minus infinity.",
        edits=[('float("-inf")', "-1.0")],
    ),
]
