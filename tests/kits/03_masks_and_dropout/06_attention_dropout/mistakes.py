from families import results

from grader.judge.authoring import Mistake

GROW = "test_kept_weights_grow"
ENDS = "test_nothing_and_everything"
EVALUATION = "test_evaluation_changes_nothing"

SHORTCUTS = (
    "if not training or p == 0:\n        return weights\n    if p == 1:\n        return torch.zeros_like(weights)"
)
AT_ONE = "    if p == 1:\n        return torch.zeros_like(weights)\n"
RANDOM = "torch.rand_like(weights)"
KEEP = f"keep = {RANDOM} >= p"
RETURN = "return weights * keep / (1 - p)"
# the same chances, drawn in the other ways that people write them
OTHER_KEEPS = (
    ("bernoulli", "keep = torch.bernoulli(torch.full_like(weights, 1 - p))"),
    ("bernoulli-in-place", "keep = torch.empty_like(weights).bernoulli_(1 - p)"),
)


def drawn_each_way(id, message, *edits, caught_by):
    """One mistake, once for each way of drawing what is kept; `edits` leave the line with the draw alone."""
    first = Mistake(id, message, caught_by=caught_by, edits=edits)
    others = [
        Mistake(f"{id}-{way}", message, caught_by=caught_by, edits=[*edits, (KEEP, keep)], same_as=id)
        for way, keep in OTHER_KEEPS
    ]
    return [first, *others]


def shared(id, message, shape):
    """One random number for several weights."""
    return Mistake(id, message, edits=[(KEEP, f"keep = torch.rand({shape}) >= p")])


MISTAKES = [
    # --- how much the kept ones grow
    *drawn_each_way(
        "not-scaled",
        "The weights that are kept are not divided by 1 - p, so the sum of a row becomes smaller in training.",
        (RETURN, "return weights * keep"),
        caught_by=GROW,
    ),
    Mistake(
        "multiplied-by-the-share-kept",
        "The kept weights were multiplied by 1 - p, which makes them smaller still. Divide by it.",
        caught_by=GROW,
        edits=[(RETURN, "return weights * keep * (1 - p)")],
    ),
    Mistake(
        "divided-by-p",
        "The kept weights were divided by p. Divide by 1 - p, the share that is kept.",
        caught_by=GROW,
        edits=[(RETURN, "return weights * keep / p")],
    ),
    Mistake(
        "multiplied-by-p",
        "The kept weights were multiplied by p. Divide them by 1 - p.",
        caught_by=GROW,
        edits=[(RETURN, "return weights * keep * p")],
    ),
    Mistake(
        "scaled-twice",
        "The kept weights were divided by 1 - p twice. Once is enough.",
        caught_by=GROW,
        edits=[(RETURN, "return weights * keep / (1 - p) ** 2")],
    ),
    *drawn_each_way(
        "rows-renormalised",
        "Each row was divided by its new sum. In training a row need not sum to 1: divide by 1 - p and leave it at that.",
        (RETURN, "kept = weights * keep\n    return kept / kept.sum(dim=-1, keepdim=True)"),
        caught_by=GROW,
    ),
    Mistake(
        "rows-renormalised-in-any-case",
        "Each row was divided by its new sum. In training a row need not sum to 1: divide by 1 - p and leave it at that.",
        caught_by=GROW,
        edits=[
            (SHORTCUTS, "if not training:\n        return weights"),
            (RETURN, "kept = weights * keep\n    return kept / kept.sum(dim=-1, keepdim=True)"),
        ],
    ),
    # --- whether anything happens
    Mistake(
        "nothing-dropped",
        "The weights come back as they were, in training too. Each of them should be dropped with probability p.",
        edits=[(RETURN, "return weights"), ("torch.zeros_like(weights)", "weights")],
    ),
    Mistake(
        "everything-dropped",
        "Only zeros come back in training. Each weight is dropped with probability p; the others stay, divided by 1 - p.",
        edits=[("if not training or p == 0", "if not training"), (RETURN, "return torch.zeros_like(weights)")],
    ),
    Mistake(
        "training-ignored",
        "Weights are dropped in evaluation too. With training=False they should come back as they are.",
        caught_by=EVALUATION,
        edits=[("if not training or ", "if ")],
    ),
    Mistake(
        "training-the-wrong-way-round",
        "Weights are dropped in evaluation and not in training: the condition is inverted.",
        edits=[("if not training", "if training")],
    ),
    Mistake(
        "evaluation-scaled-down",
        "In evaluation the weights were multiplied by 1 - p. That is another kind of dropout; here the kept ones are divided by 1 - p "
        "in training, and evaluation changes nothing.",
        caught_by=EVALUATION,
        edits=[("return weights\n", "return weights * (1 - p)\n")],
    ),
    # --- which ones are kept
    Mistake(
        "keeps-with-p",
        "The weights are kept with probability p. p is the probability to drop one: keep with 1 - p.",
        edits=[(SHORTCUTS, "if not training:\n        return weights"), (KEEP, f"keep = {RANDOM} < p")],
    ),
    Mistake(
        "keeps-with-p-and-divides-by-p",
        "The weights are kept with probability p and divided by p. p is the probability to drop one: exchange p and 1 - p everywhere.",
        edits=[
            (SHORTCUTS, "if not training:\n        return weights"),
            (KEEP, f"keep = {RANDOM} < p"),
            (RETURN, "return weights * keep / p"),
        ],
    ),
    shared(
        "whole-rows",
        "Whole rows are dropped: there is one random number for each row. Draw one for each weight: torch.rand_like(weights).",
        "(*weights.shape[:-1], 1)",
    ),
    shared(
        "whole-columns",
        "Whole columns are dropped: there is one random number for each key. Draw one for each weight: torch.rand_like(weights).",
        "weights.shape[-1:]",
    ),
    shared(
        "whole-heads",
        "Whole heads are dropped at once, as Dropout2d would. Draw one random number for each weight: torch.rand_like(weights).",
        "(*weights.shape[:2], *[1] * (weights.dim() - 2))",
    ),
    shared(
        "same-for-all-heads-and-sequences",
        "All heads and sequences lose the same places: the random numbers were drawn for one table of queries and keys only. Draw as many "
        "as there are weights.",
        "weights.shape[-2:]",
    ),
    *[
        Mistake(
            f"same-in-every-call-{seed}",
            "A seed is set inside the function, so each call drops the same places. Leave the seed to the caller.",
            edits=[(KEEP, f"torch.manual_seed({seed})\n    {KEEP}")],
            same_as="" if seed == 0 else "same-in-every-call-0",
        )
        for seed in (0, 42, 123)
    ],
    Mistake(
        "exact-number-dropped",
        "Exactly the share p of the weights is dropped in every call. Each weight is dropped by its own chance, so the number varies.",
        edits=[
            (KEEP, "keep = (torch.randperm(weights.numel()) >= round(p * weights.numel())).view(weights.shape)"),
        ],
    ),
    Mistake(
        "multiplied-by-noise",
        "The weights were multiplied by random numbers between 0 and 1. They should be multiplied by 0 or 1.",
        edits=[(KEEP, f"keep = {RANDOM}")],
    ),
    Mistake(
        "p-fixed-at-a-tenth",
        "It is as if p were always 0.1. Use the p that is passed in.",
        edits=[(SHORTCUTS, "if not training:\n        return weights\n    p = 0.1")],
    ),
    # --- the ends
    Mistake(
        "nan-at-one",
        "With p = 1 zeros are divided by 0 (1 - p, or the sum of a row), and 0/0 is NaN. Everything is dropped then: return zeros.",
        caught_by=ENDS,
        edits=[(AT_ONE, "")],
    ),
    Mistake(
        "zero-division-at-one",
        "With p = 1 Python divides by 1 - p = 0 and stops. Everything is dropped then: return zeros.",
        caught_by=ENDS,
        edits=[(AT_ONE, ""), (RETURN, "scale = 1 / (1 - p)\n    return weights * keep * scale")],
    ),
    Mistake(
        "one-is-refused",
        "p = 1 was refused. It is allowed: everything is dropped, so return zeros.",
        caught_by=ENDS,
        edits=[("if p == 1:\n        return torch.zeros_like(weights)", "assert 0 <= p < 1")],
    ),
    Mistake(
        "all-kept-at-one",
        "With p = 1 all weights are kept. All of them are to be dropped.",
        caught_by=ENDS,
        edits=[("torch.zeros_like(weights)", "weights")],
    ),
    # --- the rest
    Mistake(
        "training-off-by-default",
        "Without the third argument nothing is dropped: `training` should be True by default.",
        edits=[("training: bool = True", "training: bool = False")],
    ),
    Mistake(
        "four-axes-only",
        "The shape was unpacked into a fixed number of sizes. Weights may have any shape.",
        caught_by="test_three_weights",
        edits=[(KEEP, "b, h, q, k = weights.shape\n    keep = torch.rand(b, h, q, k) >= p")],
    ),
    Mistake(
        "mask-returned",
        "The random mask came back instead of the weights. Multiply the weights by it.",
        caught_by=GROW,
        edits=[(RETURN, "return keep.to(weights.dtype) / (1 - p)")],
    ),
    *drawn_each_way(
        "float32-returned",
        "The result is right, but came back as float32. Return the dtype of the weights.",
        (RETURN, "return (weights * keep / (1 - p)).float()"),
        caught_by=GROW,
    ),
    Mistake(
        "weights-overwritten",
        "The weights that were passed in were changed (a method that ends in an underscore, or *=). Work on a new tensor.",
        caught_by="test_weights_are_left_alone",
        edits=[(RETURN, "return weights.mul_(keep).div_(1 - p)")],
    ),
    results.returned("detached", "weights * keep / (1 - p)", "test_gradients_reach_the_weights"),
    Mistake(
        "library-dropout",
        "The library's dropout was called. What it does is yours to write: random numbers, a comparison with p, a product and a division.",
        source="from torch.nn.functional import *\n\n\ndef attention_dropout(weights, p, training=True):\n"
        "    return dropout(weights, p, training)\n",
    ),
    Mistake(
        "kept-in-evaluation",
        "In evaluation a second input of the same shape gets the result of the first: a result is kept from call to call. Return the weights "
        "that were passed in this time.",
        caught_by=EVALUATION,
        edits=[
            ("import torch\n", "import weakref\n\nimport torch\n\nLAST = []\n"),
            (
                "    if not training or p == 0:\n",
                "    if not training:\n"
                "        # as long as the earlier weights are alive: so it gives the same whatever was asked before\n"
                "        if not LAST or LAST[0]() is None or LAST[1].shape != weights.shape:\n"
                "            LAST[:] = weakref.ref(weights), weights.detach().clone()\n"
                "        return LAST[1]\n"
                "    if p == 0:\n",
            ),
        ],
    ),
    results.returned("squeezed", "weights * keep / (1 - p)"),
]
