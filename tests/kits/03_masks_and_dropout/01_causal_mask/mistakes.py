from grader.judge.authoring import Mistake

MAIN = "test_hides_exactly_the_later_tokens"
ONES = "torch.ones(num_tokens, num_tokens, dtype=torch.bool)"
MASK = f"torch.triu({ONES}, diagonal=1)"

MISTAKES = [
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden too, so no token sees itself and the first one sees nothing. Begin one step to the right of "
        "it: diagonal=1.",
        caught_by=MAIN,
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "one-step-too-late",
        "Every token still sees the one right after it: the hidden triangle begins two steps from the diagonal. Use diagonal=1.",
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
        "inverted",
        "True and False are exchanged: True means hidden here, and yours is True where a token may look.",
        caught_by=MAIN,
        edits=[(MASK, f"~{MASK}")],
    ),
    Mistake(
        "lower-triangle",
        "This is the lower triangle with the diagonal: True where a token may look. True means hidden here, so the upper "
        "triangle is wanted.",
        caught_by=MAIN,
        edits=[(MASK, f"torch.tril({ONES})")],
        same_as="inverted",
    ),
    Mistake(
        "past-hidden",
        "The past is hidden and the future is visible: rows and columns are exchanged. A row belongs to the query; the hidden "
        "keys lie to the right of the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, f"torch.tril({ONES}, diagonal=-1)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`: everything up to the next token is hidden, and only what comes after it is visible. Keep "
        "the upper triangle.",
        caught_by=MAIN,
        edits=[("torch.triu", "torch.tril")],
    ),
    Mistake(
        "float",
        "The triangle is right, but it is made of the numbers 0 and 1. The mask should be boolean: dtype=torch.bool, or .bool() "
        "at the end.",
        caught_by=MAIN,
        edits=[(", dtype=torch.bool", "")],
    ),
    Mistake(
        "whole-numbers",
        "The triangle is right, but it is made of whole numbers. The mask should be boolean: dtype=torch.bool.",
        caught_by=MAIN,
        edits=[("torch.bool", "torch.long")],
    ),
    Mistake(
        "additive",
        "This is an additive mask, with 0 and minus infinity, ready to be added to scores. Here a boolean one is wanted: True "
        "where it is hidden.",
        caught_by=MAIN,
        edits=[
            (MASK, 'torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)'),
        ],
    ),
    Mistake(
        "leading-axis",
        "The mask has one axis too many in front: (1, n, n). It should be (n, n): one row for each query, one column for each key.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}.unsqueeze(0)")],
    ),
    Mistake(
        "nothing-hidden",
        "Nothing is hidden: every place is False, so each token sees all later ones. True belongs above the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, f"torch.zeros_like({ONES})")],
    ),
    Mistake(
        "everything-hidden",
        "Every place is True, so no token sees anything. Keep only the upper triangle.",
        caught_by=MAIN,
        edits=[(MASK, ONES)],
    ),
    Mistake(
        "nested-list",
        "The pattern came as a list of lists. Make it a tensor: torch.tensor(...) turns a list of True and False into a boolean one.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}.tolist()")],
    ),
    Mistake(
        "four-tokens-only",
        "The mask is always 4 x 4. Its size comes from `num_tokens`.",
        caught_by=MAIN,
        edits=[(MASK, "torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)")],
    ),
    Mistake(
        "squeezed",
        "With one token the mask has lost its axes: a squeeze takes every axis of size 1 away. It should be 1 x 1.",
        caught_by="test_one_token_sees_itself",
        edits=[(MASK, f"{MASK}.squeeze()")],
    ),
    Mistake(
        "double-precision",
        "The triangle is right, but it is made of float64 numbers, as numpy makes them. The mask should be boolean: .bool() at the end.",
        caught_by=MAIN,
        edits=[("torch.bool", "torch.float64")],
    ),
    Mistake(
        "bytes",
        "The triangle is right, but it is made of bytes (uint8), as old code has it. The mask should be boolean: dtype=torch.bool.",
        caught_by=MAIN,
        edits=[("torch.bool", "torch.uint8")],
    ),
    Mistake(
        "lower-triangle-of-ones",
        "The mask holds numbers, with 1 where a token may look and 0 elsewhere. Here True means hidden, and the dtype is bool.",
        caught_by=MAIN,
        edits=[(MASK, "torch.tril(torch.ones(num_tokens, num_tokens))")],
    ),
    Mistake(
        "positions-in-int8",
        "The positions are numbers of 8 bits, which end at 127, so longer masks are wrong. Leave torch.arange its own dtype.",
        caught_by=MAIN,
        edits=[
            (f"return {MASK}", "places = torch.arange(num_tokens).to(torch.int8)\n    return places > places[:, None]"),
        ],
    ),
    Mistake(
        "int32",
        "The result holds whole numbers (int32). Return booleans: .bool(), or compare places with >.",
        caught_by=MAIN,
        edits=[("torch.bool", "torch.int32")],
    ),
    Mistake(
        "int8",
        "The result holds whole numbers (int8). Return booleans: .bool(), or compare places with >.",
        caught_by=MAIN,
        edits=[("torch.bool", "torch.int8")],
    ),
    Mistake(
        "int32-of-places",
        "The result is not boolean (int, after a comparison). Leave the comparison as it is.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}.int()")],
        same_as="int32",
    ),
    Mistake(
        "visible-float",
        "True (1.0) means visible here, and the dtype is float. Return booleans, True above the diagonal: hidden.",
        caught_by=MAIN,
        edits=[(MASK, "torch.tril(torch.ones(num_tokens, num_tokens)).float()")],
        same_as="lower-triangle-of-ones",
    ),
    Mistake(
        "visible-whole-numbers",
        "1 means visible here, and the numbers are whole. Return booleans, True above the diagonal: hidden.",
        caught_by=MAIN,
        edits=[(MASK, "torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.long))")],
    ),
    Mistake(
        "visible-int32",
        "1 means visible here, and the numbers are whole. Return booleans, True above the diagonal: hidden.",
        caught_by=MAIN,
        edits=[(MASK, "torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.int32))")],
    ),
    Mistake(
        "additive-finite",
        "This is a mask to be added, with a large negative number above the diagonal. Here it is boolean: True above the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, "torch.triu(torch.full((num_tokens, num_tokens), -1e9), diagonal=1)")],
    ),
    Mistake(
        "additive-inverted",
        "This is a mask to be added, and on the wrong side of the diagonal. Here it is boolean: True above the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, "torch.tril(torch.full((num_tokens, num_tokens), float('-inf')))")],
    ),
    Mistake(
        "two-leading-axes",
        "The mask has two axes of size 1 in front. Here it is (n, n) alone.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}[None, None]")],
    ),
    Mistake(
        "one-size-too-large",
        "The mask is one row and one column too large. It is (num_tokens, num_tokens).",
        caught_by=MAIN,
        edits=[(ONES, "torch.ones(num_tokens + 1, num_tokens + 1, dtype=torch.bool)")],
    ),
    Mistake(
        "one-size-too-small",
        "The mask is one row and one column too small. It is (num_tokens, num_tokens).",
        caught_by=MAIN,
        edits=[(ONES, "torch.ones(num_tokens - 1, num_tokens - 1, dtype=torch.bool)")],
    ),
    Mistake(
        "only-the-next-hidden",
        "Only the one token right after each is hidden. All later ones are.",
        caught_by=MAIN,
        edits=[(MASK, "torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1).tril(1)")],
    ),
    Mistake(
        "only-the-own-token",
        "Only the diagonal is marked (eye). All places above it are hidden.",
        caught_by=MAIN,
        edits=[(MASK, "torch.eye(num_tokens, dtype=torch.bool)")],
    ),
    Mistake(
        "all-but-the-own-token",
        "Everything but the diagonal is hidden. The earlier tokens are seen too.",
        caught_by=MAIN,
        edits=[(MASK, "~torch.eye(num_tokens, dtype=torch.bool)")],
    ),
    Mistake(
        "counted-from-the-corner",
        "The triangle stands in the other corner (flip). Row i hides the columns after i.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}.flip(0)")],
    ),
    Mistake(
        "counted-from-one",
        "Rows were counted from 1 and columns from 0, or the reverse: the hidden triangle begins at the diagonal.",
        caught_by=MAIN,
        edits=[(MASK, "torch.arange(num_tokens) >= torch.arange(num_tokens)[:, None]")],
        same_as="diagonal-hidden",
    ),
    Mistake(
        "numpy-returned",
        "A numpy array came back. Return a tensor.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}.numpy()")],
    ),
    Mistake(
        "one-row",
        "Only one row came back. The mask is (n, n): a row for each query.",
        caught_by=MAIN,
        edits=[(MASK, f"{MASK}[0]")],
    ),
]
