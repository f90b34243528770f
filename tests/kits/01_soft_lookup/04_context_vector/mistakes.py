from families import instead_of_softmax, kept, results

from grader.judge.authoring import Mistake

EDGES = "test_one_word_or_one_number"
MANNERS = "test_inputs_are_left_alone"
GRADIENTS = "test_gradients_reach_query_and_inputs"
SCORES = "inputs @ query"
WEIGHTS = "torch.softmax(scores, dim=-1)"
CONTEXT = "weights @ inputs"

MISTAKES = [
    Mistake(
        "scaled",
        "The scores were divided by √d before the softmax. That scaling comes in unit 2; here the plain dot products are used.",
        edits=[(SCORES, "inputs @ query / query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "divided-by-width",
        "The scores were divided by d (or averaged over the width) before the softmax. Here the plain dot products are used.",
        edits=[(SCORES, "inputs @ query / query.shape[-1]")],
    ),
    Mistake(
        "weights-returned",
        "These are the weights, one a word. The last step is missing: add up the inputs, each times its weight.",
        edits=[(CONTEXT, "weights")],
    ),
    Mistake(
        "scores-returned",
        "These are the scores, one a word. Take their softmax, then add up the inputs by those weights.",
        edits=[(f"return {CONTEXT}", "return scores")],
    ),
    Mistake(
        "query-weighted",
        "The weights were put on the query, not on the inputs. As they sum to 1, that only gives the query back. Add up the inputs, "
        "each times its weight.",
        edits=[(CONTEXT, "(weights.unsqueeze(-1) * query).sum(dim=0)")],
    ),
    Mistake(
        "not-added-up",
        "The inputs were multiplied by their weights but not added up: sum over the words, the first axis.",
        edits=[(CONTEXT, "weights.unsqueeze(-1) * inputs")],
    ),
    Mistake(
        "mean-instead-of-sum",
        "The weighted inputs were averaged, so the result is n times too small. The weights sum to 1 already: add up.",
        edits=[(CONTEXT, "(weights.unsqueeze(-1) * inputs).mean(dim=0)")],
    ),
    Mistake(
        "softmax-over-an-axis-of-one",
        "The softmax ran over an axis of size 1, so every weight is 1 and the inputs were just added up. Take it over the words.",
        edits=[(WEIGHTS, "torch.softmax(scores.unsqueeze(-1), dim=-1).squeeze(-1)")],
    ),
    *instead_of_softmax.mistakes(
        "no-softmax",
        "uniform-weights",
        "divided-without-exp",
        "not-divided",
        "divided-by-the-mean",
        "log-weights",
        "sigmoid",
        "softmax-twice",
        "minus-sign",
        "not-divided-less-the-maximum",
        softmax=WEIGHTS,
        scores="scores",
        keys="words",
    ),
    Mistake(
        "only-the-best",
        "Only the word with the highest score came back. Every word comes along, as much of it as its weight says.",
        edits=[(CONTEXT, "inputs[weights.argmax()]")],
    ),
    Mistake(
        "inputs-in-rows-times-weights",
        "The weights met the width (inputs @ weights), which fits only where n = d, and is wrong there too. A weight belongs to a "
        "word, a whole row: weights @ inputs.",
        edits=[(CONTEXT, "inputs @ weights")],
    ),
    Mistake(
        "weights-along-the-width",
        "Broadcasting laid the weights along the width of the inputs. A weight belongs to a word, a whole row: give the weights a last "
        "axis of size 1, or use a matrix product.",
        edits=[(CONTEXT, "(weights * inputs).sum(dim=0)")],
    ),
    Mistake(
        "summed-over-the-width",
        "The sum ran over the width, so there is one number a word. Sum over the words, the first axis: dim=0.",
        edits=[(CONTEXT, "(weights.unsqueeze(-1) * inputs).sum(dim=-1)")],
    ),
    Mistake(
        "scores-of-the-wrong-axis",
        "query @ inputs lets the query meet the words' axis, which fits only where n = d, and is wrong there too. Let it meet the "
        "width: inputs @ query.",
        edits=[(SCORES, "query @ inputs")],
    ),
    Mistake(
        "always-the-second-word",
        'The second row of `inputs` always asks, as "shiny" does in the example. Use the `query` that is passed in.',
        edits=[(SCORES, "inputs @ inputs[1]")],
    ),
    Mistake(
        "cosine-scores",
        "The scores are cosines: the dot products were divided by the lengths of the vectors. Use the dot products as they are.",
        edits=[(SCORES, "inputs @ query / (inputs.norm(dim=-1) * query.norm())")],
    ),
    Mistake(
        "query-added",
        "The query was added to the result. The context vector is the weighted sum of the inputs alone.",
        edits=[(CONTEXT, "query + weights @ inputs")],
    ),
    Mistake(
        "row-of-one",
        "The result has one axis too many: shape (1, d). One query gives one vector, shape (d,).",
        edits=[(CONTEXT, "weights.unsqueeze(0) @ inputs")],
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1, also the width when d = 1: then the result should have shape (1,). Name the axis "
        "that should go.",
        caught_by=EDGES,
        edits=[(CONTEXT, "(weights.unsqueeze(0) @ inputs).squeeze()")],
    ),
    results.returned("plain-numbers", CONTEXT),
    Mistake(
        "context-and-weights",
        "Two values came back. Return the context vector alone.",
        edits=[(CONTEXT, "weights @ inputs, weights")],
    ),
    results.returned("float32-only", CONTEXT),
    Mistake(
        "inputs-overwritten",
        "The inputs were multiplied in place (*=, mul_). The caller still needs them: make a new tensor.",
        caught_by=MANNERS,
        edits=[(f"return {CONTEXT}", "inputs *= weights.unsqueeze(-1)\n    return inputs.sum(dim=0)")],
    ),
    results.returned("detached", CONTEXT, GRADIENTS),
    Mistake(
        "weights-detached",
        "The numbers are right, but the weights are cut off from the scores (detach, .data, .item, torch.no_grad), so no gradient "
        "reaches the query.",
        caught_by=GRADIENTS,
        edits=[(WEIGHTS, "torch.softmax(scores, dim=-1).detach()")],
    ),
    kept.from_the_last_call("context_vector"),
    Mistake(
        "query-detached",
        "The numbers are right, but no gradient reaches the query (detach, item, or a new tensor made of it).",
        caught_by=GRADIENTS,
        edits=[(SCORES, "inputs @ query.detach()")],
    ),
]
