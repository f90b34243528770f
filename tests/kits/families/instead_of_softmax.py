"""What stands where the softmax over the keys belongs, in code of any kind.

main      the check that compares with the formula
softmax   the text of the softmax: F.softmax(scores, dim=-1)
scores    what it is taken of: scores
"""

from grader.judge.authoring import Mistake


def _instead(id: str, message: str, text: str) -> Mistake:
    return Mistake(id, message, caught_by="$main", edits=[("$softmax", text)])


FAMILY = [
    _instead(
        "log-weights",
        "log_softmax gives the logarithms of the weights. The weights themselves are needed: softmax.",
        "torch.log_softmax($scores, dim=-1)",
    ),
    _instead(
        "sigmoid",
        "A sigmoid was taken of each score by itself. The weights of a row share one sum: softmax over the keys, dim=-1.",
        "torch.sigmoid($scores)",
    ),
    _instead(
        "not-divided",
        "exp() was taken of the scores, but the rows were not divided by their sums. The weights of a row sum to 1.",
        "torch.exp($scores)",
    ),
    _instead(
        "not-divided-less-the-maximum",
        "exp() was taken of the scores less their maximum, but the rows were not divided by their sums. The weights of a row sum to 1.",
        "torch.exp($scores - ($scores).amax(dim=-1, keepdim=True))",
    ),
    _instead(
        "axis-of-the-sum-lost",
        "The sum of each row lost its axis, so the columns were divided by it instead of the rows. Keep the axis: keepdim=True.",
        "(torch.exp($scores) / torch.exp($scores).sum(dim=-1))",
    ),
    _instead(
        "divided-without-exp",
        "The scores were divided by their sum without exp(). Some of these weights can be negative: softmax takes the exponential first.",
        "(($scores) / ($scores).sum(dim=-1, keepdim=True))",
    ),
    _instead(
        "softmax-over-everything",
        "One softmax was taken over all scores at once, or all were divided by one sum. Each query's row sums to 1 by itself: dim=-1.",
        "torch.softmax(($scores).flatten(), dim=0).view_as($scores)",
    ),
    _instead(
        "softmax-over-each-sequence",
        "One softmax was taken over all scores of a sequence at once. Each query's row sums to 1 by itself: dim=-1.",
        "torch.softmax(($scores).flatten(1), dim=-1).view_as($scores)",
    ),
    _instead(
        "minus-sign",
        "The sign of the scores is turned, so the tokens that fit least get most of the weight.",
        "torch.softmax(-($scores), dim=-1)",
    ),
    _instead(
        "only-the-best",
        "Each query got the value of its best key alone (argmax). The softmax gives every key a share.",
        "torch.nn.functional.one_hot(($scores).argmax(dim=-1), ($scores).shape[-1]).to($scores)",
    ),
    _instead(
        "uniform-weights",
        "Every key has the same weight, so the output is the mean of the values. The weights come from the scores.",
        "torch.softmax(torch.zeros_like($scores), dim=-1)",
    ),
    _instead(
        "softmax-in-float32",
        "The weights are float32 when they meet the values, which fails where these are float64. Keep the dtype of the scores, or cast "
        "the weights back.",
        "torch.softmax(($scores).float(), dim=-1)",
    ),
    _instead(
        "divided-by-the-mean-of-the-exps",
        "The weights of a row sum to the number of keys, not to 1: the exps were divided by their mean. Divide them by their sum.",
        "(torch.softmax($scores, dim=-1) * ($scores).shape[-1])",
    ),
    _instead(
        "sign-dropped",
        "The scores lost their signs (abs) before the softmax. A negative score means a poor fit: leave it as it is.",
        "torch.softmax(($scores).abs(), dim=-1)",
    ),
    _instead(
        "negative-scores-cut-off",
        "Negative scores were set to 0 (relu, clamp) before the softmax. Leave them as they are.",
        "torch.softmax(torch.relu($scores), dim=-1)",
    ),
]
