"""Dropout on the attention weights: `weights = $layer(weights)`.

layer          the dropout layer: self.dropout
acts           the check that dropout acts, in training only
on_weights     the check that it acts on the weights
on_output      the check that sees it on the output: one of the two
end, returned  the last line, and what it returns: return weights @ values, weights @ values
values         the variable: values
hide           the line that hides scores
rows           what is dropped as a whole, besides rows, by a $wrong_layer: heads, by a Dropout2d
"""

from grader.judge.authoring import Mistake

DROP = "weights = $layer(weights)"
NEXT = "\n        "
IN_IF = "\n            "

FAMILY = [
    Mistake(
        "dropout-in-eval",
        "Weights are dropped in eval() too. nn.Dropout knows the mode; F.dropout needs training=self.training.",
        caught_by="$acts",
        edits=[(DROP, "weights = F.dropout(weights, $layer.p)")],
    ),
    Mistake(
        "no-dropout",
        "`dropout` is not used: nothing is dropped in training. Apply nn.Dropout(dropout) to the weights.",
        caught_by="$acts",
        edits=[(DROP, "")],
    ),
    Mistake(
        "dropout-on-output",
        "Dropout was applied to the output. It belongs on the weights, between the softmax and the values.",
        caught_by="$on_output",
        edits=[(DROP, ""), ("$end", "return $layer($returned)")],
    ),
    Mistake(
        "dropout-on-values",
        "Dropout was applied to the values. It belongs on the weights.",
        caught_by="$on_weights",
        edits=[(DROP, "$values = $layer($values)")],
    ),
    Mistake(
        "dropout-on-scores",
        "Dropout was applied to the scores. It belongs on the weights, after the softmax.",
        caught_by="$acts",
        edits=[("$hide", f"scores = $layer(scores){NEXT}$hide"), (DROP, "")],
    ),
    Mistake(
        "dropout-fixed",
        "The dropout is always 0.1. Use the `dropout` that was passed in.",
        caught_by="$acts",
        edits=[("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
    ),
    Mistake(
        "dropout-keeps-with-p",
        "`dropout` was taken as the share to keep. It is the probability to drop a weight.",
        caught_by="$acts",
        edits=[("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")],
    ),
    Mistake(
        "dropped-twice",
        "Dropout was applied twice. Once is enough, to the weights.",
        caught_by="$on_weights",
        edits=[(DROP, "weights = $layer($layer(weights))")],
    ),
    Mistake(
        "normalised-after-dropout",
        "The weights were divided by their sum again after the dropout. In training a row need not sum to 1.",
        caught_by="$on_weights",
        edits=[(DROP, f"{DROP}{NEXT}weights = weights / weights.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "dropout-not-scaled",
        "The weights that are kept were not divided by 1 - p. nn.Dropout does that.",
        caught_by="$on_weights",
        edits=[(DROP, f"if self.training:{IN_IF}weights = weights * (torch.rand_like(weights) >= $layer.p)")],
    ),
    Mistake(
        "dropout-nan-at-one",
        "With dropout = 1 the weights were divided by 1 - p = 0, and 0/0 is NaN. All of them are dropped then: return plain zeros.",
        caught_by="$acts",
        edits=[
            (
                DROP,
                f"if self.training:{IN_IF}keep = torch.bernoulli(torch.full_like(weights, 1 - $layer.p)){IN_IF}"
                "weights = weights * keep / (1 - $layer.p)",
            )
        ],
    ),
    Mistake(
        "dropped-whole-rows",
        "Dropout1d or Dropout2d drops whole rows or $rows. Each single weight is dropped by itself: nn.Dropout.",
        caught_by="$on_weights",
        edits=[("nn.Dropout(dropout)", "nn.$wrong_layer(dropout)")],
    ),
]
