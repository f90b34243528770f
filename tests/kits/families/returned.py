"""What a module makes of its result at the very end: `return $result`, of the shape (batch, tokens, width).

main     the check that compares with the formula
result   what is returned: self.out_proj(context)
single   a check with one sequence, one token or a width of 1
double   a check that asks in float64
"""

from grader.judge.authoring import Mistake

FAMILY = [
    Mistake(
        "squeezed",
        "Axes of size 1 were squeezed away. A batch of one sequence, a text of one token, or a width of 1 keeps its axis: no squeeze().",
        caught_by="$single",
        edits=[("return $result", "return ($result).squeeze()")],
    ),
    Mistake(
        "squeezed-in-front",
        "A batch of one sequence lost its axis, by squeeze(0) for example. It keeps it: (1, tokens, width).",
        caught_by="$single",
        edits=[("return $result", "return ($result).squeeze(0)")],
    ),
    Mistake(
        "float32-only",
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        caught_by="$double",
        edits=[("return $result", "return ($result).float()")],
    ),
    Mistake(
        "last-token-only",
        "Only the last token's result came back. Every token gets one: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result)[:, -1]")],
    ),
    Mistake(
        "first-sequence-only",
        "Only the first sequence's result came back, without the batch axis. Every sequence gets one: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result)[0]")],
    ),
    Mistake(
        "batch-and-tokens-joined",
        "The axes of batch and tokens were joined into one. Give the result three axes: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).flatten(0, 1)")],
    ),
    Mistake(
        "averaged-over-the-tokens",
        "The results were averaged over the tokens. Every token keeps its own: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).mean(dim=1)")],
    ),
    Mistake(
        "first-token-only",
        "Only the first token's result came back. Every token gets one: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result)[:, 0]")],
    ),
    Mistake(
        "tokens-and-width-joined",
        "The axes of tokens and width were joined into one. Give the result three axes: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).flatten(1)")],
    ),
    Mistake(
        "tokens-and-width-exchanged",
        "Tokens and width are exchanged in the result. The order is (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).transpose(1, 2)")],
    ),
    Mistake(
        "batch-and-tokens-exchanged",
        "Batch and tokens are exchanged in the result. The order is (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).transpose(0, 1)")],
    ),
    Mistake(
        "summed-over-the-tokens",
        "The results were added up over the tokens. Every token keeps its own: (batch, tokens, width).",
        caught_by="$main",
        edits=[("return $result", "return ($result).sum(dim=1)")],
    ),
]
