"""What stands where the softmax over the keys belongs, in code of any kind."""

from grader.judge.authoring import Mistake

ANOTHER_FUNCTION = (
    "sigmoid",
    "not-divided",
    "not-divided-less-the-maximum",
    "softmax-over-everything",
    "minus-sign",
    "only-the-best",
)

INSTEAD = {
    "no-softmax": (
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the {keys}, dim=-1.",
        "({scores})",
    ),
    "softmax-twice": (
        "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
        "torch.softmax(torch.softmax({scores}, dim=-1), dim=-1)",
    ),
    "future-hidden": (
        "Later tokens are hidden by a causal mask. There is no mask here: every token sees every token.",
        'torch.softmax(({scores}).masked_fill(torch.ones_like({scores}).triu(1) > 0, -float("inf")), dim=-1)',
    ),
    "sigmoid": (
        "A sigmoid was taken of each score by itself. The weights of a query share one sum: softmax over the {keys}, dim=-1.",
        "torch.sigmoid({scores})",
    ),
    "not-divided": (
        "exp() was taken of the scores, but not divided by the sum. The weights of a query sum to 1.",
        "torch.exp({scores})",
    ),
    "not-divided-less-the-maximum": (
        "exp() was taken of the scores less their maximum, but not divided by the sum. The weights of a query sum to 1.",
        "torch.exp({scores} - ({scores}).amax(dim=-1, keepdim=True))",
    ),
    "softmax-over-everything": (
        "One softmax was taken over all scores at once, or all were divided by one sum. Each query's row sums to 1 by itself: dim=-1.",
        "torch.softmax(({scores}).flatten(), dim=0).view_as({scores})",
    ),
    "minus-sign": (
        "The sign of the scores is turned, so the tokens that fit least get most of the weight.",
        "torch.softmax(-({scores}), dim=-1)",
    ),
    "only-the-best": (
        "Each query got the value of its best key alone (argmax). The softmax gives every key a share.",
        "torch.nn.functional.one_hot(({scores}).argmax(dim=-1), ({scores}).shape[-1]).to({scores})",
    ),
    "log-weights": (
        "log_softmax gives the logarithms of the weights. The weights themselves are needed: softmax.",
        "torch.log_softmax({scores}, dim=-1)",
    ),
    "axis-of-the-sum-lost": (
        "The sum of each row lost its axis, so the columns were divided by it instead of the rows. Keep the axis: keepdim=True.",
        "(torch.exp({scores}) / torch.exp({scores}).sum(dim=-1))",
    ),
    "divided-without-exp": (
        "The scores were divided by their sum without exp(). Some of these weights can be negative: softmax takes the exponential first.",
        "(({scores}) / ({scores}).sum(dim=-1, keepdim=True))",
    ),
    "uniform-weights": (
        "Every weight is the same, so the output is a plain mean. The weights come from the scores, by softmax.",
        "torch.softmax(torch.zeros_like({scores}), dim=-1)",
    ),
    "softmax-in-float32": (
        "The weights are float32 when they meet the values, which fails where these are float64. Keep the dtype of the scores, or cast "
        "the weights back.",
        "torch.softmax(({scores}).float(), dim=-1)",
    ),
    "divided-by-the-mean": (
        "The weights of a query sum to the number of {keys}, not to 1: the exps were divided by their mean. Divide them by their sum.",
        "(torch.softmax({scores}, dim=-1) * ({scores}).shape[-1])",
    ),
    "negative-scores-cut-off": (
        "Negative scores were set to 0 (relu, clamp) before the softmax. Leave them as they are.",
        "torch.softmax(torch.relu({scores}), dim=-1)",
    ),
    "softmax-over-each-sequence": (
        "One softmax was taken over all scores of a sequence at once. Each query's row sums to 1 by itself: dim=-1.",
        "torch.softmax(({scores}).flatten(1), dim=-1).view_as({scores})",
    ),
}
"""By the mistake's id: its message, and what stands there; `{scores}` is what the softmax is taken of."""


def mistakes(*ids: str, softmax: str, scores: str, keys: str = "keys") -> list[Mistake]:
    """Some of these, in this order.

    `softmax`: its text in the reference, F.softmax(scores, dim=-1); `keys`: what the exercise calls them.
    """
    return [
        Mistake(id, INSTEAD[id][0].format(keys=keys), edits=[(softmax, INSTEAD[id][1].format(scores=scores))])
        for id in ids
    ]
