from families import kept, results

from grader.judge.authoring import Mistake

AS_THEY_COME = "test_weights_are_taken_as_they_come"
MANNERS = "test_inputs_are_left_alone"
LOOKUP = "weights @ values"
EACH = "values * weights.reshape(-1, *[1] * (values.dim() - 1))"

MISTAKES = [
    Mistake(
        "mean-instead-of-sum",
        "The weighted values were averaged, so the result is n times too small. The weights already say how much of each "
        "value comes along: add up.",
        edits=[(LOOKUP, f"({EACH}).mean(dim=0)")],
    ),
    Mistake(
        "renormalised",
        "The weights were divided by their sum first. They need not sum to 1: take them as they come.",
        caught_by=AS_THEY_COME,
        edits=[(LOOKUP, "(weights / weights.sum()) @ values")],
    ),
    Mistake(
        "softmax-of-the-weights",
        "A softmax was taken of the weights. They are weights already, not scores: take them as they come.",
        edits=[(LOOKUP, "torch.softmax(weights, dim=0) @ values")],
    ),
    Mistake(
        "unweighted-sum",
        "The values were added up without their weights. Multiply each value by its weight first.",
        edits=[(LOOKUP, "values.sum(dim=0)")],
    ),
    Mistake(
        "unweighted-mean",
        "This is the plain mean of the values: the weights have no say in it. Multiply each value by its weight, then add up.",
        edits=[(LOOKUP, "values.mean(dim=0)")],
    ),
    Mistake(
        "only-the-largest",
        "Only the value with the largest weight came back. That is the hard lookup of a dictionary; here every value comes "
        "along, as much of it as its weight says.",
        edits=[(LOOKUP, "values[weights.argmax()]")],
    ),
    Mistake(
        "sum-of-weights-times-sum-of-values",
        "All values were added up and then multiplied by all weights together. Each value has its own weight: multiply first, "
        "then add.",
        edits=[(LOOKUP, "weights.sum() * values.sum(dim=0)")],
    ),
    Mistake(
        "not-added-up",
        "The values were multiplied by their weights but not added up: sum over the keys, the first axis.",
        edits=[(LOOKUP, EACH)],
    ),
    Mistake(
        "values-in-rows-times-weights",
        "The weights met the width of the values (values @ weights), which fits only where n = d, and is wrong there too. "
        "A weight belongs to a whole row of `values`.",
        edits=[(LOOKUP, "values @ weights")],
    ),
    Mistake(
        "weights-along-the-width",
        "Broadcasting laid the weights along the last axis of `values`, the width. A weight belongs to a key, a whole row: "
        "give the weights a last axis of size 1, or use a matrix product.",
        edits=[(LOOKUP, "(weights * values).sum(dim=0)")],
    ),
    Mistake(
        "summed-over-everything",
        "The sum ran over the width as well, so one number is left of a vector. Sum over the keys only: dim=0.",
        edits=[(LOOKUP, f"({EACH}).sum()")],
    ),
    Mistake(
        "numbers-given-a-width",
        "The weights got a second axis also where the values are plain numbers, so every weight met every value. That axis is "
        "needed only for values of shape (n, d).",
        edits=[(LOOKUP, "(weights.unsqueeze(-1) * values).sum(dim=0)")],
    ),
    Mistake(
        "numbers-only",
        "This is a dot product of two vectors. `values` may also have the shape (n, d), one vector for each key: then a weight belongs "
        "to a whole row.",
        edits=[(LOOKUP, "torch.dot(weights, values)")],
    ),
    Mistake(
        "vectors-only",
        "The values were taken to be vectors, shape (n, d). They may also be plain numbers, shape (n,).",
        edits=[(LOOKUP, "torch.einsum('n,nd->d', weights, values)")],
    ),
    Mistake(
        "axis-kept",
        "The axis that was summed is still there with size 1 (keepdim, or a weights matrix of one row). The result has "
        "shape () or (d,).",
        edits=[(LOOKUP, f"({EACH}).sum(dim=0, keepdim=True)")],
    ),
    Mistake(
        "last-left-out",
        "The last value is missing from the sum: the loop or slice ends one too early.",
        edits=[(LOOKUP, "weights[:-1] @ values[:-1]")],
    ),
    Mistake(
        "negative-weights-dropped",
        "Negative weights were set to 0. With a negative weight the value is subtracted: leave the weights as they are.",
        caught_by=AS_THEY_COME,
        edits=[(LOOKUP, "weights.clamp(min=0) @ values")],
    ),
    results.returned("squeezed", LOOKUP),
    results.returned("plain-numbers", LOOKUP),
    results.returned("float32-only", LOOKUP, AS_THEY_COME),
    Mistake(
        "values-overwritten",
        "The values were multiplied in place (*=, mul_). The caller still needs them: make a new tensor.",
        caught_by=MANNERS,
        edits=[
            (
                f"return {LOOKUP}",
                "values *= weights.reshape(-1, *[1] * (values.dim() - 1))\n    return values.sum(dim=0)",
            )
        ],
    ),
    results.returned("detached", LOOKUP, "test_gradients_reach_weights_and_values"),
    Mistake(
        "weights-detached",
        "The numbers are right, but no gradient reaches the weights (detach, item, float or a new tensor made of them). Use "
        "them as the tensor they are.",
        caught_by="test_gradients_reach_weights_and_values",
        edits=[(LOOKUP, "weights.detach() @ values")],
    ),
    kept.from_the_last_call("soft_lookup"),
    Mistake(
        "added-instead-of-multiplied",
        "Weights and values were added. Multiply each value by its weight, then add up.",
        edits=[(LOOKUP, "(weights + values.T).T.sum(dim=0)")],
    ),
    results.returned("rounded", LOOKUP),
]
