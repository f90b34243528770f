from families import kept, results

from grader.judge.authoring import Mistake

EDGES = "test_one_word_or_one_number"
MANNERS = "test_inputs_are_left_alone"
GRADIENTS = "test_gradients_reach_query_and_inputs"
SCORES = "inputs @ query"

MISTAKES = [
    Mistake(
        "not-summed",
        "The numbers were multiplied one by one but not added up, so each word has d numbers instead of one score. Sum over "
        "the width, the last axis.",
        edits=[(SCORES, "inputs * query")],
    ),
    Mistake(
        "cosine",
        "This is the cosine of the angle: the products were divided by the lengths of the vectors. Here the dot product itself "
        "is asked for.",
        edits=[(SCORES, "(inputs @ query) / (inputs.norm(dim=-1) * query.norm())")],
    ),
    Mistake(
        "query-normalised",
        "The query was divided by its length. Here the dot product of the vectors as they are is asked for.",
        edits=[(SCORES, "inputs @ (query / query.norm())")],
    ),
    Mistake(
        "negative-distance",
        "This is the Euclidean distance with its sign turned. Use the dot product: multiply and add.",
        edits=[(SCORES, "-(inputs - query).norm(dim=-1)")],
    ),
    Mistake(
        "divided-by-root-of-width",
        "The scores were divided by √d. That scaling comes in unit 2; here the plain dot product is asked for.",
        edits=[(SCORES, "inputs @ query / query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "mean-instead-of-sum",
        "The products were averaged over the width, so the scores are d times too small. Add them up.",
        edits=[(SCORES, "(inputs * query).mean(dim=-1)")],
    ),
    Mistake(
        "summed-over-the-words",
        "The sum ran over the words, so the result has shape (d,). Sum over the width, the last axis: one score for each word, shape (n,).",
        edits=[(SCORES, "(inputs * query).sum(dim=0)")],
    ),
    Mistake(
        "summed-over-everything",
        "Everything was added up to one number. Sum over the width only: one score per word.",
        edits=[(SCORES, "(inputs * query).sum()")],
    ),
    Mistake(
        "query-times-inputs",
        "query @ inputs lets the query meet the words' axis, which fits only where n = d, and is wrong there too. Let it meet the "
        "width: transpose the inputs, or put them first.",
        edits=[(SCORES, "query @ inputs")],
    ),
    Mistake(
        "query-unused",
        "Every word was compared with itself: the query has no part in it. Multiply each row by the query.",
        edits=[(SCORES, "(inputs * inputs).sum(dim=-1)")],
    ),
    Mistake(
        "always-the-second-word",
        'The second row of `inputs` always asks, as "shiny" does in the example. Use the `query` that is passed in.',
        edits=[(SCORES, "inputs @ inputs[1]")],
    ),
    Mistake(
        "every-word-with-every-word",
        "Every word was compared with every word, which gives a table. Here one query asks: one score per word.",
        edits=[(SCORES, "inputs @ inputs.T")],
    ),
    Mistake(
        "softmax-already",
        "These are weights: a softmax was taken of the scores. Here the scores themselves are asked for.",
        edits=[(SCORES, "torch.softmax(inputs @ query, dim=-1)")],
    ),
    Mistake(
        "signs-dropped",
        "The scores lost their signs (abs). A negative score is right where two words point in opposite directions.",
        edits=[(SCORES, "(inputs @ query).abs()")],
    ),
    Mistake(
        "last-dimension-left-out",
        "The last number of every embedding is missing from the sum: the loop or slice ends one too early.",
        edits=[(SCORES, "inputs[:, :-1] @ query[:-1]")],
    ),
    Mistake(
        "column-of-scores",
        "The scores came as a column, shape (n, 1). Take the extra axis away again: (n,).",
        edits=[(SCORES, "inputs @ query.unsqueeze(-1)")],
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1, also that of the words when there is only one. Name the axis "
        "that should go, or leave squeeze out.",
        caught_by=EDGES,
        edits=[(SCORES, "(inputs @ query.unsqueeze(-1)).squeeze()")],
    ),
    results.returned("plain-numbers", SCORES),
    results.returned("float32-only", SCORES),
    Mistake(
        "inputs-overwritten",
        "The inputs were multiplied in place (*=, mul_). The caller still needs them: make a new tensor.",
        caught_by=MANNERS,
        edits=[(f"return {SCORES}", "inputs *= query\n    return inputs.sum(dim=-1)")],
    ),
    results.returned("detached", SCORES, GRADIENTS),
    Mistake(
        "query-detached",
        "The numbers are right, but no gradient reaches the query (detach, item, float or a new tensor made of it). Use it as "
        "the tensor it is.",
        caught_by=GRADIENTS,
        edits=[(SCORES, "inputs @ query.detach()")],
    ),
    kept.from_the_last_call("dot_scores"),
    Mistake(
        "always-the-first-word",
        "The first row of `inputs` always asks. Use the `query` that is passed in.",
        edits=[(SCORES, "inputs @ inputs[0]")],
    ),
    Mistake(
        "last-word-left-out",
        "The last word has no score: the loop ends one too early. Give one score for each word.",
        edits=[(SCORES, "inputs[:-1] @ query")],
    ),
    results.returned("rounded", SCORES),
]
