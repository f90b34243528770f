from families import kept, results

from grader.judge.authoring import Mistake

EPS = "test_eps_stands_under_the_root"
GRADIENTS = "test_gradients_reach_x_weight_and_bias"
MEAN = "x.mean(dim=-1, keepdim=True)"
VARIANCE = "(x - mean).square().mean(dim=-1, keepdim=True)"
ROOT = "torch.sqrt(variance + eps)"
NORMED = "(x - mean) / " + ROOT
RETURN = "return normed * weight + bias"
AXIS = "dim=-1, keepdim=True"

MISTAKES = [
    # --- mean and variance
    Mistake(
        "divided-by-one-less",
        "The variance was divided by d - 1, as torch.var and torch.std do unless told otherwise. Here it is divided by d: "
        "`unbiased=False` (or `correction=0`).",
        edits=[(VARIANCE, "(x - mean).square().sum(dim=-1, keepdim=True) / max(x.shape[-1] - 1, 1)")],
    ),
    Mistake(
        "divided-by-one-less-and-nan",
        "The variance was divided by d - 1, as torch.var and torch.std do unless told otherwise; with a width of 1 that is 0/0. Here "
        "it is divided by d: `unbiased=False` (or `correction=0`).",
        edits=[(VARIANCE, "x.var(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "sum-of-squares",
        "The squared deviations were summed and not divided by d. The variance is their mean.",
        edits=[(VARIANCE, "(x - mean).square().sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "mean-not-taken-away",
        "The mean was not subtracted. Subtract it from x in the numerator, and in the variance.",
        edits=[(MEAN, "torch.zeros_like(x)")],
    ),
    Mistake(
        "mean-left-above",
        "The mean was subtracted in the variance, but not in the numerator. What is divided is x - mean.",
        edits=[(NORMED, "x / " + ROOT)],
    ),
    Mistake(
        "squares-without-the-mean",
        "The mean of the squares of x was used as the variance. The variance is the mean of the squares of x - mean.",
        edits=[(VARIANCE, "x.square().mean(dim=-1, keepdim=True)")],
    ),
    # --- the axis
    Mistake(
        "over-the-tokens",
        "Mean and variance run over the tokens (dim -2). Each token is normed by itself, along its width: the last axis.",
        edits=[(AXIS, "dim=max(-2, -x.dim()), keepdim=True")],
        everywhere=True,
    ),
    Mistake(
        "over-the-first-axis",
        "Mean and variance run over the first axis, as a batch norm's do. Each token is normed by itself: the last axis.",
        edits=[(AXIS, "dim=0, keepdim=True")],
        everywhere=True,
    ),
    Mistake(
        "over-everything",
        "One mean and one variance were taken of all numbers together. Each token has its own: dim=-1 with keepdim=True.",
        edits=[(MEAN, "x.mean()"), (VARIANCE, "(x - mean).square().mean()")],
    ),
    Mistake(
        "over-a-whole-text",
        "Mean and variance were taken over tokens and width together. Each token is normed by itself: the last axis alone.",
        edits=[(AXIS, "dim=(-2, -1)[-x.dim() :], keepdim=True")],
        everywhere=True,
    ),
    Mistake(
        "axis-not-kept",
        "The mean and the variance lost their last axis, so they no longer line up with the rows: an error, or in a square table the numbers of "
        "another token. Use keepdim=True.",
        edits=[(AXIS, "dim=-1")],
        everywhere=True,
    ),
    # --- the root and eps
    Mistake(
        "eps-outside-the-root",
        "`eps` was added to the root. Add it to the variance, and then take the root.",
        caught_by=EPS,
        edits=[(ROOT, "(torch.sqrt(variance) + eps)")],
    ),
    Mistake(
        "eps-not-passed-on",
        "`eps` is not used: it is always 1e-5, whatever was passed in.",
        caught_by=EPS,
        edits=[(ROOT, "torch.sqrt(variance + 1e-5)")],
    ),
    Mistake(
        "eps-left-out",
        "`eps` was left out: without it a constant row is 0/0. Add it to the variance.",
        caught_by=EPS,
        edits=[(ROOT, "torch.sqrt(variance)")],
    ),
    Mistake(
        "divided-by-the-variance",
        "The deviations were divided by the variance, not by its root.",
        edits=[(ROOT, "(variance + eps)")],
    ),
    Mistake(
        "not-divided",
        "Only the mean was subtracted. Divide by the root of the variance, too.",
        edits=[(NORMED, "(x - mean)")],
    ),
    # --- weight and bias
    Mistake(
        "weight-left-out",
        "The weight was left out. Each place of the width has its factor.",
        edits=[("normed * weight", "normed")],
    ),
    Mistake(
        "bias-left-out",
        "The bias was left out. It is added at the end.",
        edits=[(RETURN, "return normed * weight")],
    ),
    Mistake(
        "weight-and-bias-left-out",
        "Weight and bias were left out. Multiply by the one, add the other.",
        edits=[(RETURN, "return normed")],
    ),
    Mistake(
        "weight-and-bias-exchanged",
        "Weight and bias are exchanged: the weight multiplies, the bias is added.",
        edits=[(RETURN, "return normed * bias + weight")],
    ),
    Mistake(
        "bias-before-the-weight",
        "The bias was added before the weight was multiplied in, so it was multiplied as well. First the weight, then the bias.",
        edits=[(RETURN, "return (normed + bias) * weight")],
    ),
    Mistake(
        "weight-before-the-norm",
        "Weight and bias were applied to x before the norm. Apply them after it, to what was normed.",
        edits=[
            ("    mean = ", "    x = x * weight + bias\n    mean = "),
            (RETURN, "return normed"),
        ],
    ),
    # --- the rest
    results.returned("float32-only", "normed * weight + bias"),
    results.returned("detached", "normed * weight + bias", GRADIENTS),
    Mistake(
        "x-overwritten",
        "x was changed in place (-=, /=, sub_, …). The caller still needs it: work on a new tensor.",
        caught_by="test_inputs_are_left_alone",
        edits=[(RETURN, "result = normed * weight + bias\n    x.detach().copy_(normed.detach())\n    return result")],
    ),
    kept.from_the_last_call("layer_norm"),
    results.returned("squeezed", "normed * weight + bias"),
]
