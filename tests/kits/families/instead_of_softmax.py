"""What stands where the softmax over the keys belongs, in code of any kind.

`softmax` is its text in the reference, F.softmax(scores, dim=-1); `scores` what it is taken of.
"""

from grader.judge.authoring import Mistake


def _instead(main: str, softmax: str, id: str, message: str, text: str) -> Mistake:
    return Mistake(id, message, caught_by=main, edits=[(softmax, text)])


def another_function(main: str, *, softmax: str, scores: str) -> list[Mistake]:
    """Another function of the scores."""
    return [
        _instead(
            main,
            softmax,
            "sigmoid",
            "A sigmoid was taken of each score by itself. The weights of a row share one sum: softmax over the keys, dim=-1.",
            f"torch.sigmoid({scores})",
        ),
        _instead(
            main,
            softmax,
            "not-divided",
            "exp() was taken of the scores, but the rows were not divided by their sums. The weights of a row sum to 1.",
            f"torch.exp({scores})",
        ),
        _instead(
            main,
            softmax,
            "not-divided-less-the-maximum",
            "exp() was taken of the scores less their maximum, but the rows were not divided by their sums. The weights of a row sum to 1.",
            f"torch.exp({scores} - ({scores}).amax(dim=-1, keepdim=True))",
        ),
        _instead(
            main,
            softmax,
            "softmax-over-everything",
            "One softmax was taken over all scores at once, or all were divided by one sum. Each query's row sums to 1 by itself: dim=-1.",
            f"torch.softmax(({scores}).flatten(), dim=0).view_as({scores})",
        ),
        _instead(
            main,
            softmax,
            "minus-sign",
            "The sign of the scores is turned, so the tokens that fit least get most of the weight.",
            f"torch.softmax(-({scores}), dim=-1)",
        ),
        _instead(
            main,
            softmax,
            "only-the-best",
            "Each query got the value of its best key alone (argmax). The softmax gives every key a share.",
            f"torch.nn.functional.one_hot(({scores}).argmax(dim=-1), ({scores}).shape[-1]).to({scores})",
        ),
    ]


def log_weights(main: str, *, softmax: str, scores: str) -> Mistake:
    """The logarithms of the weights."""
    return _instead(
        main,
        softmax,
        "log-weights",
        "log_softmax gives the logarithms of the weights. The weights themselves are needed: softmax.",
        f"torch.log_softmax({scores}, dim=-1)",
    )


def axis_of_the_sum_lost(main: str, *, softmax: str, scores: str) -> Mistake:
    """keepdim forgotten."""
    return _instead(
        main,
        softmax,
        "axis-of-the-sum-lost",
        "The sum of each row lost its axis, so the columns were divided by it instead of the rows. Keep the axis: keepdim=True.",
        f"(torch.exp({scores}) / torch.exp({scores}).sum(dim=-1))",
    )


def divided_without_exp(main: str, *, softmax: str, scores: str) -> Mistake:
    """No exponentials."""
    return _instead(
        main,
        softmax,
        "divided-without-exp",
        "The scores were divided by their sum without exp(). Some of these weights can be negative: softmax takes the exponential first.",
        f"(({scores}) / ({scores}).sum(dim=-1, keepdim=True))",
    )


def uniform_weights(main: str, *, softmax: str, scores: str) -> Mistake:
    """The scores have no say."""
    return _instead(
        main,
        softmax,
        "uniform-weights",
        "Every key has the same weight, so the output is the mean of the values. The weights come from the scores.",
        f"torch.softmax(torch.zeros_like({scores}), dim=-1)",
    )


def softmax_in_float32(main: str, *, softmax: str, scores: str) -> Mistake:
    """float32 weights meet float64 values."""
    return _instead(
        main,
        softmax,
        "softmax-in-float32",
        "The weights are float32 when they meet the values, which fails where these are float64. Keep the dtype of the scores, or cast "
        "the weights back.",
        f"torch.softmax(({scores}).float(), dim=-1)",
    )


def divided_by_the_mean(main: str, *, softmax: str, scores: str) -> Mistake:
    """The mean of the exponentials instead of their sum."""
    return _instead(
        main,
        softmax,
        "divided-by-the-mean-of-the-exps",
        "The weights of a row sum to the number of keys, not to 1: the exps were divided by their mean. Divide them by their sum.",
        f"(torch.softmax({scores}, dim=-1) * ({scores}).shape[-1])",
    )


def negative_scores_cut_off(main: str, *, softmax: str, scores: str) -> Mistake:
    """relu before the softmax."""
    return _instead(
        main,
        softmax,
        "negative-scores-cut-off",
        "Negative scores were set to 0 (relu, clamp) before the softmax. Leave them as they are.",
        f"torch.softmax(torch.relu({scores}), dim=-1)",
    )


def softmax_over_each_sequence(main: str, *, softmax: str, scores: str) -> Mistake:
    """One softmax for a whole sequence."""
    return _instead(
        main,
        softmax,
        "softmax-over-each-sequence",
        "One softmax was taken over all scores of a sequence at once. Each query's row sums to 1 by itself: dim=-1.",
        f"torch.softmax(({scores}).flatten(1), dim=-1).view_as({scores})",
    )
