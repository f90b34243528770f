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
]
