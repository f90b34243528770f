"""Attention block by block, with a running maximum, total and output."""

from grader.judge.authoring import Mistake

LARGE = "test_large_scores_stay_finite"
MAXIMUM = "torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))"
TOTAL = "total * shrink + exps.sum(dim=-1, keepdim=True)"
OUTPUT = "output * shrink + exps @ value[..., block, :]"
SCALE = "query.shape[-1] ** -0.5"


def mistakes(*, rows: str, divided: str, without_it: str, start: str, zero_start: str, before: str) -> list[Mistake]:
    """What goes wrong block by block.

    `rows`: the queries that a block of keys meets; `divided`, `without_it`: the text that divides the output by the total, and the
    same without; `start`, `zero_start`: the maximum begins at minus infinity, and at 0; `before`: where the query is scaled.
    """
    scores = f"{rows} @ key[..., block, :].transpose(-2, -1)"
    return [
        Mistake(
            "not-rescaled",
            "Output and total were added up over the blocks without a correction, although the maximum that is subtracted grows on the way. "
            "Before you add a block, multiply output and total so far by exp(old maximum - new maximum).",
            edits=[("shrink = torch.exp(maximum - new_maximum)", "shrink = 1.0")],
        ),
        Mistake(
            "output-not-rescaled",
            "The output so far was not corrected when the maximum grew. Multiply it by exp(old maximum - new maximum), like the total.",
            edits=[(OUTPUT, OUTPUT.replace("output * shrink", "output"))],
        ),
        Mistake(
            "total-not-rescaled",
            "The total so far was not corrected when the maximum grew. Multiply it by exp(old maximum - new maximum), like the output.",
            edits=[(TOTAL, TOTAL.replace("total * shrink", "total"))],
        ),
        Mistake(
            "shrink-upside-down",
            "Everything is NaN, as when the correction is upside down: exp(new maximum - old maximum) is infinite at the first block, where "
            "the old one is minus infinity. Take exp(old maximum - new maximum).",
            edits=[("torch.exp(maximum - new_maximum)", "torch.exp(new_maximum - maximum)")],
        ),
        Mistake(
            "no-scale",
            "The scores are not divided by √d.",
            edits=[(f"{scores} * scale", scores)],
        ),
        Mistake(
            "not-divided",
            "The output was not divided by the total, so the weights of a row do not sum to 1.",
            edits=[(divided, without_it)],
        ),
        Mistake(
            "no-maximum",
            "exp() was taken of the scores as they are, and exp(1000) is infinite. Subtract the largest score so far, and correct total and output "
            "when it grows.",
            caught_by=LARGE,
            edits=[(MAXIMUM, "torch.zeros_like(maximum)"), (start, zero_start)],
        ),
        Mistake(
            "maximum-of-the-first-block",
            "The maximum of the first block was kept for all blocks, so larger scores in a later block make exp() infinite. Let the maximum grow with "
            "each block.",
            caught_by=LARGE,
            edits=[(MAXIMUM, "scores.amax(dim=-1, keepdim=True) if start == 0 else maximum")],
        ),
        Mistake(
            "maximum-starts-at-zero",
            "The maximum starts at 0 or another number (or zeros that fill up a block count as scores), so when all scores are far below, every exp is 0 and the result is 0/0. Start with minus infinity.",
            caught_by=LARGE,
            edits=[(start, zero_start)],
        ),
        Mistake(
            "one-maximum-for-all",
            "One maximum was taken over all queries. For a query with much lower scores every exp is 0, and the result is 0/0. Take one maximum for "
            "each query.",
            caught_by=LARGE,
            edits=[(MAXIMUM, "torch.maximum(maximum, scores.max())")],
        ),
        Mistake(
            "no-softmax",
            "There is no softmax: the scores themselves were used as weights. Add up exp(score - maximum), and divide by their total at the end.",
            edits=[(OUTPUT, "output + scores @ value[..., block, :]"), (divided, without_it)],
        ),
        Mistake(
            "divided-by-d",
            "The scores are divided by d, not by its root.",
            edits=[(SCALE, "1 / query.shape[-1]")],
        ),
        Mistake(
            "keys-not-turned",
            "The keys were not transposed. Exchange their last two axes: key.transpose(-2, -1).",
            edits=[(scores, scores.replace(".transpose(-2, -1)", ""))],
        ),
        Mistake(
            "query-scaled-in-place",
            "The query was scaled in place (/=, *=, mul_, …): the caller's query has changed, and where gradients are wanted it is an error. "
            "query = query * scale makes a new tensor.",
            caught_by="test_inputs_are_left_alone",
            edits=[(f"{scores} * scale", scores), (before, f"    query *= scale\n{before}")],
        ),
        Mistake(
            "scale-from-values",
            "The scale was taken from the width of the values. It is √d, the width of queries and keys.",
            edits=[(SCALE, "value.shape[-1] ** -0.5")],
        ),
        Mistake(
            "values-as-keys",
            "The queries were compared with the values. They are compared with the keys.",
            edits=[(scores, scores.replace("key", "value"))],
        ),
        Mistake(
            "scale-from-queries",
            "The scores are divided by the root of the number of queries. It is √d, the width of queries and keys.",
            edits=[(SCALE, "query.shape[-2] ** -0.5")],
        ),
        Mistake(
            "scale-from-keys",
            "The scores are divided by the root of the number of keys. It is √d, the width of queries and keys.",
            edits=[(SCALE, "key.shape[-2] ** -0.5")],
        ),
        Mistake(
            "total-of-means",
            "The exps of a block were averaged where they belong summed up, so the total is too small. A block adds exps.sum() to it.",
            edits=[(TOTAL, TOTAL.replace(".sum(", ".mean("))],
        ),
        Mistake(
            "products-averaged",
            "The exps times the values were averaged over the keys of a block. Add them up: exps @ value.",
            edits=[(OUTPUT, f"{OUTPUT} / exps.shape[-1]")],
        ),
    ]
