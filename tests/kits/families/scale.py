"""The scale of the scores in attention modules whose scores are `... / root`."""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"


def mistakes(*, root: str, width: str = "head_dim", compared: str = "one head", tokens: str = "n") -> list[Mistake]:
    """The root is left out, taken of something else, or used in another place."""
    return [
        Mistake(
            "no-scale",
            f"The scores are not divided by √{width}.",
            edits=[(f" / {root}", "")],
        ),
        Mistake(
            "scale-from-tokens",
            f"The scores are divided by the root of the number of tokens. It is √{width}, the width of {compared}.",
            edits=[(root, f"{tokens}**0.5")],
        ),
        Mistake(
            "scale-upside-down",
            f"The scores are multiplied by √{width} where they should be divided by it.",
            edits=[(f" / {root}", f" * {root}")],
        ),
        Mistake(
            "scaled-after-softmax",
            f"The weights were divided by √{width} after the softmax. Scale the scores before it: the weights must sum to 1.",
            edits=[(f" / {root}", ""), (SOFTMAX, f"{SOFTMAX} / {root}")],
        ),
    ]


def half_outside_the_power(*, root: str, width: str) -> list[Mistake]:
    """`width ** 1 / 2` in the place of the root, in brackets and without."""
    message = "The scores are divided by half of d, or by d and by 2, not by √d. `d ** 1 / 2` is (d ** 1) / 2: write d ** 0.5."
    return [
        Mistake("half-outside-the-power", message, edits=[(root, f"({width} ** 1 / 2)")]),
        Mistake("half-outside-without-brackets", message, edits=[(root, f"{width} ** 1 / 2")]),
    ]


def scale_of_heads(*, root: str, width: str = "head_dim", compared: str = "one head", heads: str) -> list[Mistake]:
    """The width of a head is mixed up with another number. `heads`: the attribute with the number of heads."""
    return [
        Mistake(
            "scale-from-heads",
            f"The scores are divided by the root of the number of heads. It is √{width}, the width of {compared}.",
            edits=[(root, f"self.{heads}**0.5")],
        ),
        Mistake(
            "divided-by-head-dim",
            "The scores are divided by head_dim, not by its root (or twice by the root).",
            edits=[(root, "self.head_dim")],
        ),
    ]


def scale_of_the_model(*, root: str) -> Mistake:
    """√hidden_dim, where √head_dim belongs."""
    return Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        edits=[(root, "hidden_dim**0.5")],
    )
