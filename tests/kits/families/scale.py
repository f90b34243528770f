"""The scale of the scores in attention modules whose scores are `... / root`."""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"


def mistakes(
    main: str, *, root: str, width: str = "head_dim", compared: str = "one head", tokens: str = "n"
) -> list[Mistake]:
    """The root is left out, taken of something else, or used in another place."""
    return [
        Mistake(
            "no-scale",
            f"The scores are not divided by √{width}.",
            caught_by=main,
            edits=[(f" / {root}", "")],
        ),
        Mistake(
            "scale-from-tokens",
            f"The scores are divided by the root of the number of tokens. It is √{width}, the width of {compared}.",
            caught_by=main,
            edits=[(root, f"{tokens}**0.5")],
        ),
        Mistake(
            "scale-upside-down",
            f"The scores are multiplied by √{width} where they should be divided by it.",
            caught_by=main,
            edits=[(f" / {root}", f" * {root}")],
        ),
        Mistake(
            "scaled-after-softmax",
            f"The weights were divided by √{width} after the softmax. Scale the scores before it: the weights must sum to 1.",
            caught_by=main,
            edits=[(f" / {root}", ""), (SOFTMAX, f"{SOFTMAX} / {root}")],
        ),
    ]


def scale_of_heads(
    main: str, *, root: str, width: str = "head_dim", compared: str = "one head", heads: str
) -> list[Mistake]:
    """The width of a head is mixed up with another number. `heads`: the attribute with the number of heads."""
    return [
        Mistake(
            "scale-from-heads",
            f"The scores are divided by the root of the number of heads. It is √{width}, the width of {compared}.",
            caught_by=main,
            edits=[(root, f"self.{heads}**0.5")],
        ),
        Mistake(
            "divided-by-head-dim",
            "The scores are divided by head_dim, not by its root (or twice by the root).",
            caught_by=main,
            edits=[(root, "self.head_dim")],
        ),
    ]


def scale_of_the_model(main: str, *, root: str) -> Mistake:
    """√hidden_dim, where √head_dim belongs."""
    return Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by=main,
        edits=[(root, "hidden_dim**0.5")],
    )
