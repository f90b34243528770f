"""What becomes of a right result at the very end, in any exercise: axes lost or exchanged, another dtype, no gradient.

`result` is what the reference returns, as it is written behind `return`; `caught_by` the check that sees the mistake.
"""

from grader.judge.authoring import Mistake


def _returned(id: str, message: str, caught_by: str, result: str, changed: str) -> Mistake:
    return Mistake(id, message, caught_by, edits=[(f"return {result}", f"return ({result}){changed}")])


def rows_of_tokens(result: str, caught_by: str) -> list[Mistake]:
    """A result of the shape (batch, tokens, width) that loses axes, or has them in another order."""
    return [
        squeezed(result, caught_by),
        _returned(
            "tokens-and-width-exchanged",
            "Tokens and width are exchanged in the result. The order is (batch, tokens, width).",
            caught_by,
            result,
            ".transpose(-2, -1)",
        ),
        _returned(
            "last-token-only",
            "Only the last token's result came back. Every token gets one: (batch, tokens, width).",
            caught_by,
            result,
            "[..., -1, :]",
        ),
        _returned(
            "averaged-over-the-tokens",
            "The results were averaged over the tokens. Every token keeps its own: (batch, tokens, width).",
            caught_by,
            result,
            ".mean(dim=-2)",
        ),
        _returned(
            "batch-and-tokens-joined",
            "The axes of batch and tokens were joined into one. Give the result three axes: (batch, tokens, width).",
            caught_by,
            result,
            ".flatten(0, 1)",
        ),
    ]


def squeezed(result: str, caught_by: str) -> Mistake:
    """Every axis of size 1 goes."""
    return _returned(
        "squeezed",
        "Axes of size 1 were squeezed away. The result keeps all its axes, whatever their sizes: no squeeze().",
        caught_by,
        result,
        ".squeeze()",
    )


def float32_only(result: str, caught_by: str) -> Mistake:
    """Always float32."""
    return _returned(
        "float32-only",
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        caught_by,
        result,
        ".float()",
    )


def float64_returned(result: str, caught_by: str) -> Mistake:
    """Always float64."""
    return _returned(
        "float64-returned",
        "The result is always float64. Keep the dtype that comes in: float32 stays float32.",
        caught_by,
        result,
        ".double()",
    )


def detached(result: str, caught_by: str) -> Mistake:
    """No gradient."""
    return _returned(
        "detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients: nothing is trained through it.",
        caught_by,
        result,
        ".detach()",
    )


def rounded(result: str, caught_by: str) -> Mistake:
    """Rounded to four places."""
    return _returned(
        "rounded",
        "The result was rounded. Return the numbers as they are.",
        caught_by,
        result,
        ".round(decimals=4)",
    )


def plain_numbers(result: str, caught_by: str) -> Mistake:
    """No tensor."""
    return _returned(
        "plain-numbers",
        "A list of plain numbers came back (tolist()). Return the tensor itself.",
        caught_by,
        result,
        ".tolist()",
    )
