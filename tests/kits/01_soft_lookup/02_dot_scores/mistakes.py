from grader.judge.authoring import Mistake, kept_from_the_last_call

MAIN = "test_agrees_with_formula"
EDGES = "test_one_word_or_one_number"
MANNERS = "test_inputs_are_left_alone"
GRADIENTS = "test_gradients_reach_query_and_inputs"
SCORES = "inputs @ query"

MISTAKES = [
    Mistake(
        "not-summed",
        "The numbers were multiplied one by one but not added up, so each word has d numbers instead of one score. Sum over "
        "the width, the last axis.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs * query")],
    ),
    Mistake(
        "cosine",
        "This is the cosine of the angle: the products were divided by the lengths of the vectors. Here the dot product itself "
        "is asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query) / (inputs.norm(dim=-1) * query.norm())")],
    ),
    Mistake(
        "query-normalised",
        "The query was divided by its length. Here the dot product of the vectors as they are is asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ (query / query.norm())")],
    ),
    Mistake(
        "inputs-normalised",
        "The inputs were divided by their lengths. Here the dot product of the vectors as they are is asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs / inputs.norm(dim=-1, keepdim=True)) @ query")],
    ),
    Mistake(
        "distance",
        "This is the Euclidean distance, which is small where two words are alike. Use the dot product: multiply and add.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs - query).norm(dim=-1)")],
    ),
    Mistake(
        "negative-distance",
        "This is the Euclidean distance with its sign turned. Use the dot product: multiply and add.",
        caught_by=MAIN,
        edits=[(SCORES, "-(inputs - query).norm(dim=-1)")],
    ),
    Mistake(
        "squared-distance",
        "This is the squared Euclidean distance. Use the dot product: multiply and add, subtract nothing.",
        caught_by=MAIN,
        edits=[(SCORES, "((inputs - query) ** 2).sum(dim=-1)")],
    ),
    Mistake(
        "divided-by-root-of-width",
        "The scores were divided by √d. That scaling comes in unit 2; here the plain dot product is asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ query / query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "mean-instead-of-sum",
        "The products were averaged over the width, so the scores are d times too small. Add them up.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).mean(dim=-1)")],
    ),
    Mistake(
        "summed-over-the-words",
        "The sum ran over the words, so the result has shape (d,). Sum over the width, the last axis: one score for each word, shape (n,).",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).sum(dim=0)")],
    ),
    Mistake(
        "summed-over-everything",
        "Everything was added up to one number. Sum over the width only: one score a word.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).sum()")],
    ),
    Mistake(
        "query-times-inputs",
        "query @ inputs lets the query meet the words' axis, which fits only where n = d, and is wrong there too. Let it meet the "
        "width: transpose the inputs, or put them first.",
        caught_by=MAIN,
        edits=[(SCORES, "query @ inputs")],
    ),
    Mistake(
        "query-along-the-words",
        "Broadcasting laid the query along the words instead of along the width. Its numbers belong to the last axis of `inputs`.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query.unsqueeze(-1)).sum(dim=-1)")],
    ),
    Mistake(
        "added-instead-of-multiplied",
        "The vectors were added. A dot product multiplies the numbers of the same place, then adds up.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs + query).sum(dim=-1)")],
    ),
    Mistake(
        "query-unused",
        "Every word was compared with itself: the query has no part in it. Multiply each row by the query.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * inputs).sum(dim=-1)")],
    ),
    Mistake(
        "always-the-second-word",
        'The second row of `inputs` always asks, as "shiny" does in the example. Use the `query` that is passed in.',
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ inputs[1]")],
    ),
    Mistake(
        "every-word-with-every-word",
        "Every word was compared with every word, which gives a table. Here one query asks: one score a word.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ inputs.T")],
    ),
    Mistake(
        "softmax-already",
        "These are weights: a softmax was taken of the scores. Here the scores themselves are asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "torch.softmax(inputs @ query, dim=-1)")],
    ),
    Mistake(
        "shares-already",
        "The scores were divided by their sum. Turning scores into weights is the next exercise; here the scores are asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query) / (inputs @ query).sum()")],
    ),
    Mistake(
        "signs-dropped",
        "The scores lost their signs (abs). A negative score is right where two words point in opposite directions.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).abs()")],
    ),
    Mistake(
        "negative-scores-dropped",
        "Negative scores were set to 0. A negative score is right where two words point in opposite directions.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).clamp(min=0)")],
    ),
    Mistake(
        "last-dimension-left-out",
        "The last number of every embedding is missing from the sum: the loop or slice ends one too early.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[:, :-1] @ query[:-1]")],
    ),
    Mistake(
        "column-of-scores",
        "The scores came as a column, shape (n, 1). Take the extra axis away again: (n,).",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ query.unsqueeze(-1)")],
    ),
    Mistake(
        "row-of-scores",
        "The scores came as a row, shape (1, n). Take the extra axis away again: (n,).",
        caught_by=MAIN,
        edits=[(SCORES, "query.unsqueeze(0) @ inputs.T")],
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1, also that of the words when there is only one. Name the axis "
        "that should go, or leave squeeze out.",
        caught_by=EDGES,
        edits=[(SCORES, "(inputs @ query.unsqueeze(-1)).squeeze()")],
    ),
    Mistake(
        "plain-numbers",
        "A Python list came back. Return one tensor: torch.stack makes one of a list of tensors (item and tolist would stop the gradients).",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).tolist()")],
    ),
    Mistake(
        "list-of-scores",
        "A Python list of tensors came back. Return one tensor: torch.stack makes one of the list.",
        caught_by=MAIN,
        edits=[(SCORES, "list(inputs @ query)")],
        same_as="plain-numbers",
    ),
    Mistake(
        "rebuilt-from-plain-numbers",
        "The result was put together anew from plain numbers (item, tolist, torch.tensor(...)): that loses float64 and cuts off "
        "every gradient. Compute with the tensors themselves.",
        caught_by=GRADIENTS,
        edits=[(SCORES, "(inputs @ query).detach().float()")],
    ),
    Mistake(
        "dtype-lost",
        "The result is always float32. Keep the dtype that comes in: float64 stays float64.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).float()")],
    ),
    Mistake(
        "inputs-overwritten",
        "The inputs were multiplied in place (*=, mul_). The caller still needs them: make a new tensor.",
        caught_by=MANNERS,
        edits=[(f"return {SCORES}", "inputs *= query\n    return inputs.sum(dim=-1)")],
    ),
    Mistake(
        "detached",
        "The numbers are right, but .detach(), .item(), torch.tensor(...) or torch.no_grad() stops the gradients: nothing could be "
        "trained through it.",
        caught_by=GRADIENTS,
        edits=[(SCORES, "(inputs @ query).detach()")],
    ),
    Mistake(
        "query-detached",
        "The numbers are right, but no gradient reaches the query (detach, item, float or a new tensor made of it). Use it as "
        "the tensor it is.",
        caught_by=GRADIENTS,
        edits=[(SCORES, "inputs @ query.detach()")],
    ),
    kept_from_the_last_call("dot_scores", MAIN),
    Mistake(
        "only-the-first-word",
        "Only the first word was scored: does `return` stand inside the loop? One score for each word.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[0] @ query")],
    ),
    Mistake(
        "only-the-last-word",
        "Only the last word was scored: the score is overwritten in the loop. One score for each word.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[-1] @ query")],
    ),
    Mistake(
        "always-the-first-word",
        "The first row of `inputs` always asks. Use the `query` that is passed in.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ inputs[0]")],
    ),
    Mistake(
        "always-the-last-word",
        "The last row of `inputs` always asks. Use the `query` that is passed in.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ inputs[-1]")],
    ),
    Mistake(
        "last-word-left-out",
        "The last word has no score: the loop ends one too early. Give one score for each word.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[:-1] @ query")],
    ),
    Mistake(
        "first-word-left-out",
        "The first word has no score: places are counted from 0.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[1:] @ query")],
    ),
    Mistake(
        "first-dimension-left-out",
        "The first number of each vector was left out of the sum: places are counted from 0.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs[:, 1:] @ query[1:]")],
    ),
    Mistake(
        "words-added-up",
        "The scores of all words were averaged or added on the way: only one number is left for all words.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).sum() * torch.ones_like(inputs[:, 0])")],
    ),
    Mistake(
        "divided-by-the-words",
        "The scores were divided by the number of words. Here the plain dot product is asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "inputs @ query / len(inputs)")],
    ),
    Mistake(
        "largest-product",
        "Only the largest product of each word came back (max). Add the products up.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).amax(dim=-1)")],
    ),
    Mistake(
        "multiplied-together",
        "The products were multiplied together (prod). Add them up.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).prod(dim=-1)")],
    ),
    Mistake(
        "differences-added-up",
        "The differences between the numbers were added up. A dot product multiplies the numbers of the same place, then adds up.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs - query).sum(dim=-1)")],
    ),
    Mistake(
        "absolute-differences",
        "These are the sums of the absolute differences, which are small where two words are alike. Use the dot product.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs - query).abs().sum(dim=-1)")],
    ),
    Mistake(
        "maximum-subtracted",
        "The largest score was subtracted from all, which belongs to the softmax. Here the scores themselves are asked for.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query) - (inputs @ query).max()")],
    ),
    Mistake(
        "sorted",
        "The scores came back in order of size. Keep the order of the words.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).sort(descending=True).values")],
    ),
    Mistake(
        "rounded",
        "The scores were rounded. Return them as they come.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).round(decimals=4)")],
    ),
    Mistake(
        "not-summed-and-turned",
        "The numbers were multiplied one by one and transposed, but not added up. Sum over the width: one score for each word.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).T")],
    ),
    Mistake(
        "sum-over-the-words-and-no-other",
        "The sum of the products ran over the words and the axis was kept. Sum over the width, the last axis.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs * query).sum(dim=0, keepdim=True)")],
    ),
    Mistake(
        "inputs-detached",
        "The numbers are right, but no gradient reaches the inputs (detach, item, or a new tensor made of them).",
        caught_by=GRADIENTS,
        edits=[(SCORES, "inputs.detach() @ query")],
    ),
    Mistake(
        "query-overwritten",
        "The query was changed in place (*=, mul_). The caller still needs it: make a new tensor.",
        caught_by=MANNERS,
        edits=[(f"return {SCORES}", "scores = inputs @ query\n    query.detach().zero_()\n    return scores")],
    ),
    Mistake(
        "float64-returned",
        "The result is always float64. Keep the dtype that comes in: float32 stays float32.",
        caught_by=MAIN,
        edits=[(SCORES, "(inputs @ query).double()")],
    ),
]
