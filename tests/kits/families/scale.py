"""The scale of the scores in attention modules whose scores are `... / $root`.

main      the check that compares with the formula
root      what the scores are divided by: self.head_dim**0.5
width     the width under the root, by its name: head_dim
compared  what has this width: one head
tokens    the number of tokens: n
heads     the attribute that holds the number of heads: num_heads
queries, keys, averaged   as messages call them: queries, keys, the values it may see
"""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"

FAMILY = [
    Mistake(
        "no-scale",
        "The scores are not divided by √$width.",
        caught_by="$main",
        edits=[(" / $root", "")],
    ),
    Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by="$main",
        edits=[("$root", "hidden_dim**0.5")],
    ),
    Mistake(
        "scale-from-heads",
        "The scores are divided by the root of the number of heads. It is √$width, the width of $compared.",
        caught_by="$main",
        edits=[("$root", "self.$heads**0.5")],
    ),
    Mistake(
        "scale-from-tokens",
        "The scores are divided by the root of the number of tokens. It is √$width, the width of $compared.",
        caught_by="$main",
        edits=[("$root", "$tokens**0.5")],
    ),
    Mistake(
        "divided-by-head-dim",
        "The scores are divided by head_dim, not by its root (or twice by the root).",
        caught_by="$main",
        edits=[("$root", "self.head_dim")],
    ),
    Mistake(
        "averaged-and-scaled",
        "The products were averaged over the width (mean), and divided by √$width on top. A score is their sum, divided by √$width.",
        caught_by="$main",
        edits=[(" / $root", " / ($root) ** 3")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √$width where they should be divided by it.",
        caught_by="$main",
        edits=[(" / $root", " * $root")],
    ),
    Mistake(
        "scaled-after-softmax",
        "The weights were divided by √$width after the softmax. Scale the scores before it: the weights must sum to 1.",
        caught_by="$main",
        edits=[(" / $root", ""), (SOFTMAX, f"{SOFTMAX} / $root")],
    ),
    Mistake(
        "weights-all-alike",
        "Every token got the plain average of $averaged. The weights come from softmax($queries · ${keys}ᵀ / √$width).",
        caught_by="$main",
        edits=[(" / $root", " * 0")],
    ),
]
