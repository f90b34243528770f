"""Dropout on the attention weights: `weights = layer(weights)`."""

from grader.judge.authoring import Mistake

ONE_FOR_SEVERAL = (
    ("keys-dropped-whole", "queries of a sequence drop the same keys", "..., :1, :"),
    ("one-dropout-for-all-heads", "heads drop the same weights", ":, :1"),
    ("one-dropout-for-the-batch", "sequences of a batch drop the same weights", ":1"),
)
"""(id of a mistake, what all do, the part of the weights that random numbers are drawn for)."""
NEXT = "\n        "
IN_IF = "\n            "


def mistakes(*, layer: str, acts: str, on_weights: str, values: str = "values") -> list[Mistake]:
    """Dropout in another mode, on something else, or with another p. `acts`, `on_weights`: the checks that see it."""
    drop = f"weights = {layer}(weights)"
    return [
        Mistake(
            "dropout-in-eval",
            "Weights are dropped in eval() too. nn.Dropout knows the mode; F.dropout needs training=self.training.",
            caught_by=acts,
            edits=[(drop, f"weights = F.dropout(weights, {layer}.p)")],
        ),
        Mistake(
            "dropout-on-values",
            "Dropout was applied to the values. It belongs on the weights.",
            caught_by=on_weights,
            edits=[(drop, f"{values} = {layer}({values})")],
        ),
        Mistake(
            "dropout-keeps-with-p",
            "`dropout` was taken as the share to keep. It is the probability to drop a weight.",
            caught_by=acts,
            edits=[("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")],
        ),
    ]


def other_dropout(*, layer: str, acts: str, on_output: str, end: str, returned: str, hide: str) -> list[Mistake]:
    """No dropout, a fixed one, or on something else. `hide`: the line that hides scores."""
    drop = f"weights = {layer}(weights)"
    return [
        Mistake(
            "no-dropout",
            "`dropout` is not used: nothing is dropped in training. Apply nn.Dropout(dropout) to the weights.",
            caught_by=acts,
            edits=[(drop, "")],
        ),
        Mistake(
            "dropout-on-output",
            "Dropout was applied to the output. It belongs on the weights, between the softmax and the values.",
            caught_by=on_output,
            edits=[(drop, ""), (end, f"return {layer}({returned})")],
        ),
        Mistake(
            "dropout-on-scores",
            "Dropout was applied to the scores. It belongs on the weights, after the softmax.",
            caught_by=acts,
            edits=[(hide, f"scores = {layer}(scores){NEXT}{hide}"), (drop, "")],
        ),
        Mistake(
            "dropout-fixed",
            "The dropout is always 0.1. Use the `dropout` that was passed in.",
            caught_by=acts,
            edits=[("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
        ),
    ]


def own_dropout(*, layer: str, acts: str, on_weights: str, rows: str, wrong_layer: str) -> list[Mistake]:
    """Dropout of one's own, or once more. `rows`: what a `wrong_layer`, such as Dropout2d, drops as a whole."""
    drop = f"weights = {layer}(weights)"
    return [
        Mistake(
            "dropped-twice",
            "Dropout was applied twice. Once is enough, to the weights.",
            caught_by=on_weights,
            edits=[(drop, f"weights = {layer}({layer}(weights))")],
        ),
        Mistake(
            "normalised-after-dropout",
            "The weights were divided by their sum again after the dropout. In training a row need not sum to 1.",
            caught_by=on_weights,
            edits=[(drop, f"{drop}{NEXT}weights = weights / weights.sum(dim=-1, keepdim=True)")],
        ),
        Mistake(
            "dropout-not-scaled",
            "The weights that are kept were not divided by 1 - p. nn.Dropout does that.",
            caught_by=on_weights,
            edits=[(drop, f"if self.training:{IN_IF}weights = weights * (torch.rand_like(weights) >= {layer}.p)")],
        ),
        Mistake(
            "dropout-nan-at-one",
            "With dropout = 1 the weights were divided by 1 - p = 0, and 0/0 is NaN. All of them are dropped then: return plain zeros.",
            caught_by=acts,
            edits=[
                (
                    drop,
                    f"if self.training:{IN_IF}keep = torch.bernoulli(torch.full_like(weights, 1 - {layer}.p)){IN_IF}"
                    f"weights = weights * keep / (1 - {layer}.p)",
                )
            ],
        ),
        Mistake(
            "dropped-whole-rows",
            f"Whole rows or {rows} are dropped, as by Dropout1d or Dropout2d. Each single weight is dropped by itself: nn.Dropout.",
            caught_by=on_weights,
            edits=[("nn.Dropout(dropout)", f"nn.{wrong_layer}(dropout)")],
        ),
        *[
            Mistake(
                id,
                f"All {what}. Each single weight is dropped by itself: nn.Dropout on the weights.",
                caught_by=on_weights,
                edits=[(drop, f"weights = weights * {layer}(torch.ones_like(weights[{part}]))")],
            )
            for id, what, part in ONE_FOR_SEVERAL
        ],
        Mistake(
            "dropout-seeded",
            "A seed is set before the dropout, so every call drops the same weights. Leave the seed to whoever trains.",
            caught_by=on_weights,
            edits=[(drop, f"torch.manual_seed(0){NEXT}{drop}")],
        ),
    ]
