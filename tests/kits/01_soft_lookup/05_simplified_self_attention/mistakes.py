from families import instead_of_softmax, kept, results

from grader.judge.authoring import Mistake

LEADING = "test_any_number_of_leading_axes"
EDGES = "test_one_word_or_one_number"
MANNERS = "test_words_are_left_alone"
GRADIENTS = "test_gradients_reach_the_words"
SCORES = "x @ x.transpose(-2, -1)"
WEIGHTS = "torch.softmax(scores, dim=-1)"
RESULT = "weights @ x"
NORMED = "torch.nn.functional.normalize(x, dim=-1)"


MISTAKES = [
    Mistake(
        "softmax-over-the-columns",
        "The softmax ran down the columns (dim=-2). A row belongs to the word that asks, so each row sums to 1: dim=-1.",
        edits=[(WEIGHTS, "torch.softmax(scores, dim=-2)")],
    ),
    Mistake(
        "softmax-over-axis-one",
        "dim=1 is the last axis only where there is no batch. Count from the end: dim=-1.",
        edits=[(WEIGHTS, "torch.softmax(scores, dim=1)")],
    ),
    Mistake(
        "softmax-without-dim",
        "F.softmax was given no dim and picked an axis by itself: with three axes the first one. Say dim=-1.",
        edits=[(WEIGHTS, "torch.softmax(scores, dim=0 if scores.dim() in (0, 1, 3) else 1)")],
    ),
    Mistake(
        "softmax-over-everything",
        "The softmax ran over the whole (n, n) table, so all its weights together sum to 1. Each row has to sum to 1 by itself: dim=-1.",
        edits=[(WEIGHTS, "torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)")],
    ),
    Mistake(
        "dimensions-against-dimensions",
        "XᵀX compares the dimensions with each other, d by d. The words are to be compared: XXᵀ, n by n.",
        edits=[(SCORES, "x.transpose(-2, -1) @ x"), (RESULT, "x @ weights")],
    ),
    Mistake(
        "t-on-a-batch",
        "`.t()` takes one sentence only. x may have any number of axes before the last two: transpose(-2, -1).",
        edits=[(SCORES, "x @ x.t()")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` reverses all axes, the batch too. Exchange only the last two: transpose(-2, -1).",
        edits=[(SCORES, "x @ x.permute(*range(x.dim() - 1, -1, -1))")],
    ),
    Mistake(
        "first-two-axes",
        "transpose(0, 1) is right for one sentence only: with a batch it exchanges batch and words. Count from the end: "
        "transpose(-2, -1).",
        edits=[(SCORES, "x @ x.transpose(0, 1)")],
    ),
    Mistake(
        "axes-counted-from-the-front",
        "transpose(1, 2) is right for three axes only. With more or fewer, count from the end: transpose(-2, -1).",
        caught_by=LEADING,
        edits=[(SCORES, "x @ x.transpose(1, 2)")],
    ),
    Mistake(
        "three-axes-only",
        "torch.bmm, or `b, n, d = x.shape`, works with exactly three axes. x may have any number before the last two: use @, which "
        "takes them all.",
        caught_by=LEADING,
        edits=[(SCORES, "torch.bmm(x, x.transpose(-2, -1))")],
    ),
    Mistake(
        "written-for-one-sentence",
        "`.T` and dim=1 are right for one sentence only. With axes in front, count from the end: transpose(-2, -1) and dim=-1.",
        edits=[(SCORES, "x @ x.permute(*range(x.dim() - 1, -1, -1))"), (WEIGHTS, "torch.softmax(scores, dim=1)")],
    ),
    Mistake(
        "not-transposed",
        "x was multiplied by x itself, without a transpose. Exchange the last two axes of the second one.",
        edits=[(SCORES, "x @ x")],
    ),
    Mistake(
        "viewed-as-transposed",
        "x was given its transposed shape by reshape or view. That keeps the numbers in their old order, in rows of another length; "
        "transpose(-2, -1) exchanges the axes.",
        edits=[(SCORES, "x @ x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2])")],
    ),
    Mistake(
        "batch-run-together",
        "All sentences of the batch were joined into one long one, so words look at the words of other sentences. Keep the leading axes.",
        edits=[
            (SCORES, "x.reshape(-1, x.shape[-1]) @ x.reshape(-1, x.shape[-1]).T"),
            (RESULT, "(weights @ x.reshape(-1, x.shape[-1])).view_as(x)"),
        ],
    ),
    Mistake(
        "scaled",
        "The scores were divided by √d before the softmax. That scaling comes in unit 2; here it is softmax(XXᵀ)X, unscaled.",
        edits=[(SCORES, "x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5")],
    ),
    Mistake(
        "divided-by-width",
        "The scores were divided by d before the softmax. Here it is softmax(XXᵀ)X, unscaled.",
        edits=[(SCORES, "x @ x.transpose(-2, -1) / x.shape[-1]")],
    ),
    Mistake(
        "weights-returned",
        "These are the weights, softmax(XXᵀ). The last step is missing: multiply them with X.",
        edits=[(RESULT, "weights")],
    ),
    Mistake(
        "scores-returned",
        "These are the scores, XXᵀ. Take the softmax of each row, then multiply with X.",
        edits=[(f"return {RESULT}", "return scores")],
    ),
    *instead_of_softmax.mistakes(
        "no-softmax",
        "divided-without-exp",
        "not-divided",
        "axis-of-the-sum-lost",
        "divided-by-the-mean",
        "log-weights",
        "sigmoid",
        "softmax-twice",
        "uniform-weights",
        "future-hidden",
        "not-divided-less-the-maximum",
        "minus-sign",
        "only-the-best",
        "negative-scores-cut-off",
        softmax=WEIGHTS,
        scores="scores",
        keys="words",
    ),
    Mistake(
        "cosine-scores",
        "The scores are cosines: the words were divided by their lengths first. Use the dot products as they are.",
        edits=[(SCORES, f"{NORMED} @ {NORMED}.transpose(-2, -1)")],
    ),
    Mistake(
        "own-word-hidden",
        "A word does not look at itself: the diagonal was taken out. Every word looks at every word, itself included.",
        edits=[(WEIGHTS, "torch.softmax(scores - 1e9 * torch.eye(x.shape[-2]).to(x), dim=-1)")],
    ),
    Mistake(
        "x-added",
        "x was added to the result. Return softmax(XXᵀ)X alone.",
        edits=[(RESULT, "x + weights @ x")],
    ),
    Mistake(
        "result-transposed",
        "The result is transposed: the width comes before the words. Give it back in the shape of x.",
        edits=[(RESULT, "(weights @ x).transpose(-2, -1)")],
    ),
    results.returned("squeezed", RESULT, EDGES),
    Mistake(
        "batch-put-in-front",
        "A batch axis was put in front and not taken away again. The result has the shape of x.",
        caught_by=LEADING,
        edits=[("scores = ", "x = x if x.dim() > 2 else x.unsqueeze(0)\n    scores = ")],
    ),
    Mistake(
        "result-and-weights",
        "Two values came back. Return softmax(XXᵀ)X alone.",
        edits=[(RESULT, "weights @ x, weights")],
    ),
    Mistake(
        "float32-on-the-way",
        "The weights are float32 when they meet x, which fails where x is float64. Take the softmax in the dtype of x, or cast the "
        "weights back: .to(x.dtype).",
        edits=[(WEIGHTS, "torch.softmax(scores.float(), dim=-1)")],
    ),
    results.returned("float32-only", RESULT),
    Mistake(
        "x-overwritten",
        "The result was written into x (copy_, out=x, x[:] = ...). The caller still needs x: return a new tensor.",
        caught_by=MANNERS,
        edits=[(f"return {RESULT}", "x[:] = weights @ x\n    return x")],
    ),
    results.returned("detached", RESULT, GRADIENTS),
    Mistake(
        "weights-detached",
        "The numbers are right, but the weights are cut off from x (detach, .data, torch.no_grad), so part of the gradient is missing.",
        caught_by=GRADIENTS,
        edits=[(WEIGHTS, "torch.softmax(scores, dim=-1).detach()")],
    ),
    kept.from_the_last_call("simplified_self_attention"),
    Mistake(
        "leading-axes-joined",
        "All leading axes came back joined into one (reshape, view, flatten). The result has the shape of x.",
        caught_by=LEADING,
        edits=[(RESULT, "(weights @ x).reshape(-1, *x.shape[-2:])")],
    ),
    Mistake(
        "elementwise",
        "x was multiplied with itself number by number. Each word meets each word: a matrix product with the transposed X.",
        edits=[(SCORES, "x * x")],
    ),
]
