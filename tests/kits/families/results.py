"""What becomes of the right result at the very end: axes lost, tokens left out, another dtype.

main            the check that compares with the formula
end, returned   the last line, and what it returns: return weights @ values, weights @ values
"""

from grader.judge.authoring import Mistake

ALL_AXES = "The result keeps its batch, its tokens and its width, whatever their size."

FAMILY = [
    Mistake(
        "squeezed",
        f"squeeze() takes away every axis of size 1: a batch of one, a single token, a width of 1. {ALL_AXES}",
        caught_by="$main",
        edits=[("$end", "return ($returned).squeeze()")],
    ),
    Mistake(
        "squeezed-in-front",
        f"squeeze(0) takes away the batch axis where the batch is one sequence. {ALL_AXES}",
        caught_by="$main",
        edits=[("$end", "return ($returned).squeeze(0)")],
    ),
    Mistake(
        "squeezed-tokens",
        f"squeeze(1) takes away the axis of the tokens where there is one token. {ALL_AXES}",
        caught_by="$main",
        edits=[("$end", "return ($returned).squeeze(1)")],
    ),
    Mistake(
        "squeezed-width",
        f"squeeze(-1) takes away the last axis where the width is 1. {ALL_AXES}",
        caught_by="$main",
        edits=[("$end", "return ($returned).squeeze(-1)")],
    ),
    Mistake(
        "only-the-last-token",
        "Only the last token's row came back. Return a row for each token that asks.",
        caught_by="$main",
        edits=[("$end", "return ($returned)[..., -1, :]")],
    ),
    Mistake(
        "only-the-first-token",
        "Only the first token's row came back. Return a row for each token that asks.",
        caught_by="$main",
        edits=[("$end", "return ($returned)[..., 0, :]")],
    ),
    Mistake(
        "only-the-first-sequence",
        "Only the first sequence of the batch came back. Return all of them.",
        caught_by="$main",
        edits=[("$end", "return ($returned)[0]")],
    ),
    Mistake(
        "tokens-averaged",
        "The rows of the tokens were averaged to one (mean). Each token keeps a row of its own.",
        caught_by="$main",
        edits=[("$end", "return ($returned).mean(dim=-2)")],
    ),
    Mistake(
        "tokens-added-up",
        "The rows of the tokens were added up to one (sum). Each token keeps a row of its own.",
        caught_by="$main",
        edits=[("$end", "return ($returned).sum(dim=-2)")],
    ),
    Mistake(
        "batch-and-tokens-joined",
        "Batch and tokens were joined into one axis. Give them back as two, as in x.",
        caught_by="$main",
        edits=[("$end", "return ($returned).flatten(0, 1)")],
    ),
    Mistake(
        "tokens-and-width-joined",
        "Tokens and width were joined into one axis. Give back a row for each token.",
        caught_by="$main",
        edits=[("$end", "return ($returned).flatten(1)")],
    ),
    Mistake(
        "result-transposed",
        "The result is transposed: the width comes before the tokens. The last axis is the width.",
        caught_by="$main",
        edits=[("$end", "return ($returned).transpose(-2, -1)")],
    ),
    Mistake(
        "result-of-float32",
        "The numbers are right, but they came back as float32. Return the dtype that came in.",
        caught_by="$main",
        edits=[("$end", "return ($returned).float()")],
    ),
    Mistake(
        "result-of-float64",
        "The result is always float64. Return the dtype that came in, such as float32.",
        caught_by="$main",
        edits=[("$end", "return ($returned).double()")],
    ),
    Mistake(
        "result-of-float16",
        "The result came back in half precision. Return the dtype that came in, such as float32.",
        caught_by="$main",
        edits=[("$end", "return ($returned).half()")],
    ),
]
