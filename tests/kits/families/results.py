"""What becomes of a right result at the very end, in any exercise: axes lost or exchanged, another dtype, no gradient."""

from grader.judge.authoring import Mistake

ROWS_OF_TOKENS = (
    "squeezed",
    "tokens-and-width-exchanged",
    "last-token-only",
    "averaged-over-the-tokens",
    "batch-and-tokens-joined",
)

RETURNED = {
    "squeezed": (
        "Axes of size 1 were squeezed away. The result keeps all its axes, whatever their sizes: no squeeze().",
        ".squeeze()",
    ),
    "tokens-and-width-exchanged": (
        "Tokens and width are exchanged in the result. The order is (batch, tokens, width).",
        ".transpose(-2, -1)",
    ),
    "last-token-only": (
        "Only the last token's result came back. Every token gets one: (batch, tokens, width).",
        "[..., -1, :]",
    ),
    "averaged-over-the-tokens": (
        "The results were averaged over the tokens. Every token keeps its own: (batch, tokens, width).",
        ".mean(dim=-2)",
    ),
    "batch-and-tokens-joined": (
        "The axes of batch and tokens were joined into one. Give the result three axes: (batch, tokens, width).",
        ".flatten(0, 1)",
    ),
    "float32-only": (
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        ".float()",
    ),
    "float64-returned": (
        "The result is always float64. Keep the dtype that comes in: float32 stays float32.",
        ".double()",
    ),
    "detached": (
        "The numbers are right, but .detach(), .data, torch.no_grad() or torch.tensor(...) of numbers stops the gradients: nothing is trained through it.",
        ".detach()",
    ),
    "rounded": (
        "The result was rounded. Return the numbers as they are.",
        ".round(decimals=4)",
    ),
    "plain-numbers": (
        "A list of plain numbers came back (tolist()). Return the tensor itself.",
        ".tolist()",
    ),
}
"""By the mistake's id: its message, and what is done to the result."""


def returned(id: str, result: str, caught_by: str = "") -> Mistake:
    """One of these. `result` is what the reference returns, as it is written behind `return`."""
    message, changed = RETURNED[id]
    return Mistake(id, message, caught_by, edits=[(f"return {result}", f"return ({result}){changed}")])


def input_overwritten(result: str, x: str = "x", caught_by: str = "test_input_is_left_alone") -> Mistake:
    """The result is right, and the input was changed on the way."""
    return Mistake(
        "input-overwritten",
        f"The input {x} was changed in place. The caller still needs it: no methods with a trailing underscore, no `{x} *= …`.",
        caught_by,
        edits=[(f"return {result}", f"result = {result}; {x}.detach().zero_(); return result")],
    )


def rows_of_tokens(result: str, caught_by: str = "") -> list[Mistake]:
    """A result of the shape (batch, tokens, width) that loses axes, or has them in another order."""
    return [returned(id, result, caught_by) for id in ROWS_OF_TOKENS]
