"""The softmax over the keys in attention modules: `F.softmax(scores, dim=-1)`, of (batch, queries, keys) or with heads after the batch."""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"


def no_softmax() -> Mistake:
    """The scores themselves are the weights."""
    return Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
        edits=[(SOFTMAX, "scores")],
    )


def no_softmax_of_infinite_scores() -> Mistake:
    """The scores themselves are the weights, and the hidden ones are -inf."""
    return Mistake(
        "no-softmax-infinite",
        "There is no softmax: the scores, -inf for the hidden ones, were used as weights. Take the softmax over the keys, dim=-1.",
        edits=[(SOFTMAX, "scores")],
    )


def another_axis(*, query_axis: str) -> list[Mistake]:
    """The softmax runs over another axis than the keys."""
    return [
        Mistake(
            "softmax-over-queries",
            f"The softmax runs over the query axis (dim={query_axis}). Each query spreads its weight over the keys: the last axis, dim=-1.",
            edits=[(SOFTMAX, f"F.softmax(scores, dim={query_axis})")],
        ),
        Mistake(
            "softmax-over-batch",
            "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
            edits=[(SOFTMAX, "F.softmax(scores, dim=0)")],
        ),
    ]


def over_the_heads() -> Mistake:
    """The softmax runs over the heads."""
    return Mistake(
        "softmax-over-heads",
        "The softmax runs over the heads (dim=1), so the heads share one weight. It belongs on the keys, dim=-1.",
        edits=[(SOFTMAX, "F.softmax(scores, dim=1)")],
    )


def another_sum() -> Mistake:
    """The weights of a row have another sum."""
    return Mistake(
        "divided-by-the-mean",
        "The weights of a row sum to the number of keys, not to 1: the exps were divided by their mean. Divide them by their sum.",
        edits=[(SOFTMAX, f"{SOFTMAX} * scores.shape[-1]")],
    )


def weights_detached() -> Mistake:
    """No gradient comes back through the softmax."""
    return Mistake(
        "weights-detached",
        "The weights were detached, so no gradient comes back through the softmax to queries and keys.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    )


def output_detached() -> Mistake:
    """No gradient comes back through the softmax."""
    return Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so not everything can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    )


def dropout_of_its_own(*, in_training: str) -> Mistake:
    """Weights are dropped where there is no dropout. `in_training`: a check that trains."""
    return Mistake(
        "dropout-of-its-own",
        "Weights are dropped in training. This module has no dropout: in training and in eval() the numbers are the same.",
        caught_by=in_training,
        edits=[(SOFTMAX, f"F.dropout({SOFTMAX}, 0.1, self.training)")],
    )


def another_function() -> list[Mistake]:
    """Something else than one softmax, or its result turned."""
    return [
        Mistake(
            "softmax-twice",
            "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
            edits=[(SOFTMAX, f"F.softmax({SOFTMAX}, dim=-1)")],
        ),
        Mistake(
            "not-divided-by-the-sum",
            "The exponentials of the scores were used as weights. Divide each row by its sum, so that its weights sum to 1.",
            edits=[(SOFTMAX, "scores.exp()")],
        ),
        Mistake(
            "log-softmax",
            "The logarithms of the weights were used (log_softmax). Use softmax itself.",
            edits=[(SOFTMAX, "F.log_softmax(scores, dim=-1)")],
        ),
        Mistake(
            "sigmoid",
            "A sigmoid was taken of each score alone, so the weights of a row don't sum to 1. Take the softmax over the keys, dim=-1.",
            edits=[(SOFTMAX, "torch.sigmoid(scores)")],
        ),
        Mistake(
            "largest-score-only",
            "Each token got only the value of the key with the largest score. Softmax gives every visible key a weight.",
            edits=[(SOFTMAX, "F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)")],
        ),
        Mistake(
            "weights-transposed",
            "The weights were transposed before they met the values. Row i of the weights belongs to query i: weights · values as they are.",
            edits=[(SOFTMAX, f"{SOFTMAX}.transpose(-2, -1)")],
        ),
    ]
