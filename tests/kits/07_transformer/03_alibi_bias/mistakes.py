from families import results

from grader.judge.authoring import Mistake

DISTANCE = "place[:, None] - place[None, :]"
HEAD = "torch.arange(1, num_heads + 1)"
SLOPES = "2.0 ** (-8.0 * head / num_heads)"
BIAS = "-slopes[:, None, None] * distance"
RETURN = "return bias.masked_fill(distance < 0, -torch.inf)"

MISTAKES = [
    # --- the slopes
    Mistake(
        "heads-from-zero",
        "The heads were counted from 0, so the first slope is 1. They count from 1: the first slope is 2^(-8/h), the last 2^(-8).",
        edits=[(HEAD, "torch.arange(num_heads)")],
    ),
    Mistake(
        "halved-from-head-to-head",
        "The slopes are 1/2, 1/4, 1/8, … whatever the number of heads. That is so for 8 heads; in general it is 2^(-8k/h).",
        edits=[(SLOPES, "2.0 ** (-1.0 * head)")],
    ),
    Mistake(
        "eight-left-out",
        "The 8 is missing in the exponent: it is -8k/h, so that the last head has the slope 2^(-8).",
        edits=[("-8.0 * head", "-1.0 * head")],
    ),
    Mistake(
        "exponent-positive",
        "The slopes are larger than 1: the exponent has no minus. It is -8k/h.",
        edits=[("-8.0 * head", "8.0 * head")],
    ),
    Mistake(
        "one-slope-for-all",
        "All heads have the slope of the first. Head k has 2^(-8k/h).",
        edits=[(SLOPES, "2.0 ** (-8.0 * torch.ones(num_heads) / num_heads)")],
    ),
    Mistake(
        "slopes-backwards",
        "The slopes run from the smallest to the largest. Head 1 has the steepest: 2^(-8/h).",
        edits=[(SLOPES, f"({SLOPES}).flip(0)")],
    ),
    # --- the distances
    Mistake(
        "sign",
        "The sign is wrong: keys far back get a larger score. The bias is negative: -slope · (i - j).",
        edits=[(BIAS, "slopes[:, None, None] * distance")],
    ),
    Mistake(
        "query-and-key-exchanged",
        "Queries and keys are exchanged: earlier keys are hidden, later ones visible. Rows are queries i, columns keys j.",
        edits=[(DISTANCE, "place[None, :] - place[:, None]")],
    ),
    Mistake(
        "place-of-the-key",
        "The bias is slope · j, with the position of the key alone. The softmax of it is the same, but here the numbers should be -slope · (i - j).",
        edits=[(BIAS, "slopes[:, None, None] * place[None, None, :].expand(1, num_tokens, num_tokens)")],
    ),
    # --- the later keys
    Mistake(
        "future-not-hidden",
        "Later keys are not hidden, and their scores are even raised. Where j > i the bias is minus infinity.",
        edits=[(RETURN, "return bias")],
    ),
    Mistake(
        "both-sides",
        "Later keys were treated like earlier ones, by their distance. Where j > i the bias is minus infinity.",
        edits=[(RETURN, "return -slopes[:, None, None] * distance.abs()")],
    ),
    Mistake(
        "future-zero",
        "Later keys have the bias 0, like the token itself, so they are visible. Where j > i the bias is minus infinity.",
        edits=[("-torch.inf)", "0.0)")],
    ),
    Mistake(
        "future-finite",
        "Later keys have a large negative bias. In this exercise it should be minus infinity.",
        edits=[("-torch.inf)", "-1e9)")],
    ),
    Mistake(
        "future-minus-100",
        "Later keys have -100, which a large score outweighs. It is minus infinity.",
        edits=[("-torch.inf)", "-100.0)")],
    ),
    Mistake(
        "diagonal-hidden",
        "A token does not see itself. Only where j > i is the bias minus infinity.",
        edits=[("distance < 0", "distance <= 0")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "The wrong triangle is hidden (tril): earlier keys, the token's own and the next one. Where j > i the bias is minus infinity.",
        edits=[("distance < 0", "distance >= -1")],
    ),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it. Where j > i the bias is minus infinity.",
        edits=[("distance < 0", "distance < -1")],
    ),
    Mistake(
        "nan-from-zero-times-infinity",
        "There is NaN in the bias: 0 · (-inf) is NaN. Fill the places of later keys instead (masked_fill, torch.where, triu of a table full of -inf).",
        edits=[(RETURN, "return bias + (distance < 0) * -torch.inf")],
    ),
    # --- the form
    Mistake(
        "heads-last",
        "The heads are the last axis. The shape is (heads, queries, keys).",
        edits=[
            (BIAS, "-slopes[None, None, :] * distance[:, :, None]"),
            ("(distance < 0,", "(distance[:, :, None] < 0,"),
        ],
    ),
    Mistake(
        "with-a-batch-axis",
        "The result has one axis too many, in front. Its shape is (heads, queries, keys).",
        edits=[(RETURN, RETURN + "[None]")],
    ),
    results.returned("float64-returned", "bias.masked_fill(distance < 0, -torch.inf)"),
    Mistake(
        "future-plus-infinity",
        "Later keys got +inf, which gives them all the weight, or NaN. It should be minus infinity: -torch.inf.",
        edits=[("-torch.inf", "torch.inf")],
    ),
]
