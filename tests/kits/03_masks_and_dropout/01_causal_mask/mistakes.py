from families import results

from grader.judge.authoring import Mistake

ONES = "torch.ones(num_tokens, num_tokens, dtype=torch.bool)"
MASK = f"torch.triu({ONES}, diagonal=1)"

MISTAKES = [
    Mistake(
        "diagonal-hidden",
        "The diagonal is hidden too, so no token sees itself and the first one sees nothing. Begin one step to the right of "
        "it: diagonal=1.",
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "one-step-too-late",
        "Every token still sees the one right after it: the hidden triangle begins two steps from the diagonal. Use diagonal=1.",
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "inverted",
        "True and False are exchanged: True means hidden here, and yours is True where a token may look.",
        edits=[(MASK, f"~{MASK}")],
    ),
    Mistake(
        "past-hidden",
        "The past is hidden and the future is visible: rows and columns are exchanged. A row belongs to the query; the hidden "
        "keys lie to the right of the diagonal.",
        edits=[(MASK, f"torch.tril({ONES}, diagonal=-1)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`: everything up to the next token is hidden, and only what comes after it is visible. Keep "
        "the upper triangle.",
        edits=[("torch.triu", "torch.tril")],
    ),
    Mistake(
        "float",
        "The mask is made of the numbers 0 and 1 (floats). It should be boolean: dtype=torch.bool, or .bool() at the end.",
        edits=[(", dtype=torch.bool", "")],
    ),
    Mistake(
        "whole-numbers",
        "The mask is made of whole numbers. It should be boolean: dtype=torch.bool.",
        edits=[("torch.bool", "torch.long")],
    ),
    Mistake(
        "additive",
        "This is an additive mask, with 0 and minus infinity, ready to be added to scores. Here a boolean one is wanted: True "
        "where it is hidden.",
        edits=[
            (MASK, 'torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)'),
        ],
    ),
    Mistake(
        "leading-axis",
        "The mask has one axis too many in front: (1, n, n). It should be (n, n): one row for each query, one column for each key.",
        edits=[(MASK, f"{MASK}.unsqueeze(0)")],
    ),
    Mistake(
        "nothing-hidden",
        "Nothing is hidden: every place is False, so each token sees all later ones. True belongs above the diagonal.",
        edits=[(MASK, f"torch.zeros_like({ONES})")],
    ),
    Mistake(
        "everything-hidden",
        "Every place is True, so no token sees anything. Keep only the upper triangle.",
        edits=[(MASK, ONES)],
    ),
    results.returned("plain-numbers", "torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)"),
    Mistake(
        "four-tokens-only",
        "The mask is always 4 x 4. Its size comes from `num_tokens`.",
        edits=[(MASK, "torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)")],
    ),
    Mistake(
        "lower-triangle-of-ones",
        "The mask holds numbers, with 1 where a token may look and 0 elsewhere. Here True means hidden, and the dtype is bool.",
        edits=[(MASK, "torch.tril(torch.ones(num_tokens, num_tokens))")],
    ),
    Mistake(
        "int32",
        "The result holds whole numbers (int32). Return booleans: .bool(), or compare places with >.",
        edits=[("torch.bool", "torch.int32")],
    ),
    Mistake(
        "additive-finite",
        "This is a mask to be added, with a large negative number above the diagonal. Here it is boolean: True above the diagonal.",
        edits=[(MASK, "torch.triu(torch.full((num_tokens, num_tokens), -1e9), diagonal=1)")],
    ),
    Mistake(
        "one-size-too-large",
        "The mask is one row and one column too large. It is (num_tokens, num_tokens).",
        edits=[(ONES, "torch.ones(num_tokens + 1, num_tokens + 1, dtype=torch.bool)")],
    ),
    Mistake(
        "only-the-next-hidden",
        "Only the one token right after each is hidden. All later ones are.",
        edits=[(MASK, "torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1).tril(1)")],
    ),
]
