from families import kept, results

from grader.judge.authoring import Mistake

SHIFT = "scores - scores.max(dim=dim, keepdim=True).values"
TOTAL = "exps.sum(dim=dim, keepdim=True)"
DIVIDED = f"exps / {TOTAL}"

MISTAKES = [
    Mistake(
        "overflow",
        "exp() was taken of the scores as they are, and exp(1000) is infinite. Subtract each row's largest score first; "
        "the weights stay the same.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores")],
    ),
    Mistake(
        "global-maximum",
        "One maximum was subtracted from everything. In a row far below it every exp is 0, and 0/0 is NaN: take the maximum along "
        "`dim`, one for each row.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores - scores.max()")],
    ),
    Mistake(
        "dim-ignored",
        "`dim` is not used: the weights always sum to 1 along the last axis. Pass `dim` on to max and sum.",
        caught_by="test_dim_chooses_the_axis",
        edits=[("shifted = ", "dim = -1\n    shifted = ")],
    ),
    Mistake(
        "no-keepdim",
        "The sum lost its axis, so the division lines up with the wrong one (silently when the input is square). "
        "Sum with keepdim=True.",
        caught_by="test_dim_chooses_the_axis",
        edits=[(TOTAL, "exps.sum(dim=dim)")],
    ),
    Mistake(
        "no-exp",
        "The scores were divided by their sum without exp(). Softmax takes the exponential first, so that every weight is "
        "positive.",
        edits=[("exps = torch.exp(shifted)", "exps = scores")],
    ),
    Mistake(
        "sum-over-everything",
        "The exps were divided by the sum over the whole tensor, so only all weights together sum to 1. Sum along `dim`.",
        edits=[(TOTAL, "exps.sum()")],
    ),
    Mistake(
        "first-axis",
        "The weights sum to 1 along the first axis, whatever `dim` says. The default is the last axis, dim=-1.",
        edits=[("shifted = ", "dim = 0\n    shifted = ")],
    ),
    Mistake(
        "log-weights",
        "These are the logarithms of the weights. Take exp() of them, or divide the exps by their sum.",
        edits=[(DIVIDED, "shifted - exps.sum(dim=dim, keepdim=True).log()")],
    ),
    Mistake(
        "maximum-without-keepdim",
        "The maximum lost its axis, so it lines up with the wrong one (silently when the input is square). Take it with keepdim=True.",
        caught_by="test_dim_chooses_the_axis",
        edits=[(SHIFT, "scores - scores.max(dim=dim).values")],
    ),
    Mistake(
        "divided-by-the-mean",
        "The exps were divided by their mean, so the weights of a row sum to the number of scores in it. Divide by their sum.",
        edits=[(TOTAL, "exps.mean(dim=dim, keepdim=True)")],
    ),
    Mistake(
        "not-divided",
        "The exps were not divided by their sum, so a row does not sum to 1. Divide each by the sum along `dim`.",
        edits=[(DIVIDED, "exps")],
    ),
    Mistake(
        "minus-sign",
        "The weights fall where the scores rise: the sign in exp() is wrong (maximum - scores, or exp(-scores)). Subtract the maximum "
        "from the scores.",
        edits=[(SHIFT, "scores.min(dim=dim, keepdim=True).values - scores")],
    ),
    Mistake(
        "smallest-subtracted",
        "The smallest score of each row was subtracted, so the exps can still become infinite. Subtract the largest.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores - scores.min(dim=dim, keepdim=True).values")],
    ),
    Mistake(
        "mean-subtracted",
        "The mean of each row was subtracted, so a score far above the mean still makes exp() infinite. Subtract the largest.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores - scores.mean(dim=dim, keepdim=True)")],
    ),
    Mistake(
        "scores-clamped",
        "The scores were cut off at a fixed size to keep exp() finite, so all large scores look the same. Subtract the largest of "
        "each row instead: nothing is lost.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores.clamp(-80, 80)")],
    ),
    Mistake(
        "power-of-two",
        "The weights are powers of 2, not of e. Use exp().",
        edits=[("torch.exp(shifted)", "torch.exp2(shifted)")],
    ),
    Mistake(
        "sigmoid",
        "A sigmoid was taken of each score by itself. The weights of a row share one sum: exp, then divide.",
        edits=[(f"return {DIVIDED}", "return torch.sigmoid(scores)")],
    ),
    results.returned("float32-only", DIVIDED),
    Mistake(
        "scores-overwritten-by-the-difference",
        "The input was changed in place (sub_, -=). The caller still needs its scores: work on a new tensor.",
        caught_by="test_scores_are_left_alone",
        edits=[(SHIFT, "scores.sub_(scores.max(dim=dim, keepdim=True).values)")],
    ),
    results.returned("detached", DIVIDED, "test_gradients_reach_the_scores"),
    Mistake(
        "softmax-over-everything",
        "The exps were divided by the sum over the whole tensor, so only all weights together sum to 1. Sum along `dim`.",
        edits=[(SHIFT, "scores - scores.max()"), (TOTAL, "exps.sum()")],
    ),
    Mistake(
        "nan-replaced-by-zero",
        "exp(1000) is infinite, and infinity over infinity is NaN; putting a 0 there does not bring the weights back. Subtract each "
        "row's largest score first.",
        caught_by="test_large_scores_stay_finite",
        edits=[(SHIFT, "scores"), (f"return {DIVIDED}", f"return ({DIVIDED}).nan_to_num(0.0)")],
    ),
    kept.from_the_last_call("softmax"),
    results.returned("squeezed", DIVIDED),
    Mistake(
        "epsilon-of-1e-3",
        "A small number was added to the sum, so the weights no longer sum to 1. The largest exp is 1 and is in the sum: it is never 0.",
        edits=[(TOTAL, "(exps.sum(dim=dim, keepdim=True) + 1e-3)")],
    ),
    Mistake(
        "maximum-of-the-last-axis",
        "The maximum was taken along the last axis whatever `dim` is. Take it along `dim`, like the sum.",
        caught_by="test_large_scores_stay_finite",
        edits=[("scores.max(dim=dim, keepdim=True)", "scores.max(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "sum-of-the-last-axis",
        "The sum was taken along the last axis whatever `dim` is. Take it along `dim`.",
        caught_by="test_dim_chooses_the_axis",
        edits=[(TOTAL, "exps.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "not-divided-and-not-shifted",
        "exp() of each score came back, not divided by the sum. Divide by the sum along `dim`, and subtract the maximum first.",
        edits=[(SHIFT, "scores"), (DIVIDED, "exps")],
    ),
    Mistake(
        "maximum-in-numerator-only",
        "The maximum was subtracted above the line but not below it, or the reverse. Take exp(score - maximum) once and use it in both places.",
        edits=[(TOTAL, "scores.exp().sum(dim=dim, keepdim=True)")],
    ),
    Mistake(
        "taken-twice",
        "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
        edits=[(f"return {DIVIDED}", f"exps = {DIVIDED}\n    exps = exps.exp()\n    return {DIVIDED}")],
    ),
    results.returned("rounded", DIVIDED),
    Mistake(
        "filled-with-nan",
        "Everything is NaN: infinity minus infinity, or 0/0. Does a running maximum begin at plus infinity?",
        edits=[(SHIFT, "scores - scores.max(dim=dim, keepdim=True).values * float('nan')")],
    ),
    results.returned("float64-returned", DIVIDED),
]
