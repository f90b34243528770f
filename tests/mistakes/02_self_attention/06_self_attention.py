from grader.judge.authoring import Mistake

MAIN = "test_agrees_with_formula"
SCORES = "query @ key.transpose(-2, -1) * self.scaling"

MISTAKES = [
    Mistake(
        "no-scale",
        "The scores are not divided by √D. Multiply query · keyᵀ by hidden_size ** -0.5 before the softmax.",
        caught_by=MAIN,
        edits=[(" * self.scaling", "")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √D where they should be divided by it. The factor is hidden_size ** -0.5.",
        caught_by=MAIN,
        edits=[("* self.scaling", "/ self.scaling")],
    ),
    Mistake(
        "divided-by-width",
        "The scores are divided by D, not by √D. The factor is hidden_size ** -0.5.",
        caught_by=MAIN,
        edits=[("hidden_size**-0.5", "hidden_size**-1.0")],
    ),
    Mistake(
        "scaled-twice",
        "The scale was applied twice, so the scores are divided by D. Scale the query or the scores, not both.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* self.scaling * self.scaling")],
        same_as="divided-by-width",
    ),
    Mistake(
        "scaled-after-softmax",
        "The scale was applied to the weights, after the softmax. Scale the scores before it: the weights must sum to 1.",
        caught_by=MAIN,
        edits=[
            (" * self.scaling", ""),
            ("F.softmax(scores, dim=-1)", "F.softmax(scores, dim=-1) * self.scaling"),
        ],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=1). Each query spreads its weight over the keys: that is the last axis, dim=-1.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "F.softmax(scores, dim=1)")],
    ),
    Mistake(
        "softmax-over-batch",
        "The softmax runs over the batch (dim=0), so the sequences of a batch disturb each other. It belongs on the keys, dim=-1.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "F.softmax(scores, dim=0)")],
    ),
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "input-as-value",
        "The weights were applied to x itself. They belong on the values, linear_v(x).",
        caught_by=MAIN,
        edits=[("weights @ value", "weights @ x")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, linear_v(x).",
        caught_by=MAIN,
        edits=[("weights @ value", "weights @ key")],
    ),
    Mistake(
        "query-and-key-swapped",
        "The scores are key · queryᵀ, so rows and columns are exchanged. A row belongs to a query: query · keyᵀ.",
        caught_by=MAIN,
        edits=[(SCORES, "key @ query.transpose(-2, -1) * self.scaling")],
    ),
    Mistake(
        "weights-returned",
        "The attention weights were returned. One step is missing: weights · value.",
        caught_by=MAIN,
        edits=[("return weights @ value", "return weights")],
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear(hidden_size, hidden_size) has one unless bias=False is given.",
        caught_by=MAIN,
        edits=[("nn.Linear(hidden_size, hidden_size)", "nn.Linear(hidden_size, hidden_size, bias=False)")],
        everywhere=True,
    ),
    Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() cuts the way back, so nothing can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("return weights @ value", "return weights.detach() @ value")],
    ),
]
