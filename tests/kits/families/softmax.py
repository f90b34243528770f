"""The softmax over the keys in attention modules, scores of the shape (batch, queries, keys) or with heads after the batch.

main         the check that is about the scores and the weights
query_axis   the axis of the queries: 2
in_training  a check that asks in training, too
"""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"

FAMILY = [
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "scores")],
    ),
    Mistake(
        "no-softmax-infinite",
        "There is no softmax: the scores, -inf for the hidden ones, were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "scores")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=$query_axis). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.softmax(scores, dim=$query_axis)")],
    ),
    Mistake(
        "softmax-over-heads",
        "The softmax runs over the heads (dim=1), so the heads share one weight. It belongs on the keys, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.softmax(scores, dim=1)")],
    ),
    Mistake(
        "softmax-over-batch",
        "The softmax runs over the batch (dim=0), so the sequences disturb each other. It belongs on the keys, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.softmax(scores, dim=0)")],
    ),
    Mistake(
        "divided-by-the-mean",
        "The weights of a row sum to the number of keys, not to 1: the exps were divided by their mean. Divide them by their sum.",
        caught_by="$main",
        edits=[(SOFTMAX, f"{SOFTMAX} * scores.shape[-1]")],
    ),
    Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so not everything can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    ),
    Mistake(
        "weights-detached",
        "The weights were detached, so no gradient comes back through the softmax to queries and keys.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    ),
    Mistake(
        "dropout-of-its-own",
        "Weights are dropped in training. This module has no dropout: in training and in eval() the numbers are the same.",
        caught_by="$in_training",
        edits=[(SOFTMAX, f"F.dropout({SOFTMAX}, 0.1, self.training)")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
        caught_by="$main",
        edits=[(SOFTMAX, f"F.softmax({SOFTMAX}, dim=-1)")],
    ),
    Mistake(
        "not-divided-by-the-sum",
        "The exponentials of the scores were used as weights. Divide each row by its sum, so that its weights sum to 1.",
        caught_by="$main",
        edits=[(SOFTMAX, "scores.exp()")],
    ),
    Mistake(
        "not-divided-after-the-maximum",
        "exp(score - maximum) was used as weight. Divide each row by its sum, so that its weights sum to 1.",
        caught_by="$main",
        edits=[(SOFTMAX, "(scores - scores.amax(dim=-1, keepdim=True)).exp()")],
    ),
    Mistake(
        "divided-by-sums-over-queries",
        "The exponentials were divided by sums over the queries (dim=-2), which gives columns that sum to 1. Each row must: sum over the keys, dim=-1.",
        caught_by="$main",
        edits=[
            (
                SOFTMAX,
                "(scores - scores.amax(dim=-1, keepdim=True)).exp()"
                " / (scores - scores.amax(dim=-1, keepdim=True)).exp().sum(dim=-2, keepdim=True)",
            )
        ],
    ),
    Mistake(
        "log-softmax",
        "The logarithms of the weights were used (log_softmax). Use softmax itself.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.log_softmax(scores, dim=-1)")],
    ),
    Mistake(
        "sigmoid",
        "A sigmoid was taken of each score alone, so the weights of a row don't sum to 1. Take the softmax over the keys, dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "torch.sigmoid(scores)")],
    ),
    Mistake(
        "softmax-over-queries-and-keys",
        "The softmax runs over queries and keys together. The weights of each query sum to 1: dim=-1.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.softmax(scores.flatten(-2), dim=-1).view_as(scores)")],
    ),
    Mistake(
        "largest-score-only",
        "Each token got only the value of the key with the largest score. Softmax gives every visible key a weight.",
        caught_by="$main",
        edits=[(SOFTMAX, "F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. Row i of the weights belongs to query i: weights · values as they are.",
        caught_by="$main",
        edits=[(SOFTMAX, f"{SOFTMAX}.transpose(-2, -1)")],
    ),
]
