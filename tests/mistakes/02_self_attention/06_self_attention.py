from grader.judge.authoring import Mistake, kept_in_evaluation

MAIN = "test_agrees_with_formula"
SCORES = "query @ key.transpose(-2, -1) * self.scaling"
PROJECTIONS = "query, key, value = self.linear_q(x), self.linear_k(x), self.linear_v(x)"

MISTAKES = [
    Mistake(
        "layers-not-found",
        "The module has no layers named linear_q, linear_k and linear_v. Set each as an attribute of its own in __init__: other "
        "names, a plain list, or layers made in `forward` are not found.",
        caught_by=MAIN,
        edits=[("linear_q", "q_proj"), ("linear_k", "k_proj"), ("linear_v", "v_proj")],
        everywhere=True,
    ),
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
        "no-softmax-no-scale",
        "The plain products of query and key were taken for the weights. First divide them by √D, then apply softmax over the last axis.",
        caught_by=MAIN,
        edits=[(" * self.scaling", ""), ("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "attends-over-the-batch",
        "Axes 0 and 1 were exchanged, as nn.MultiheadAttention has them without batch_first=True, so the sequences of the batch attend to "
        "each other. x is (batch, tokens, width).",
        caught_by=MAIN,
        edits=[
            (PROJECTIONS, PROJECTIONS.replace("(x)", "(x.transpose(0, 1))")),
            ("return weights @ value", "return (weights @ value).transpose(0, 1)"),
        ],
    ),
    Mistake(
        "dropout-of-its-own",
        "Weights are dropped in training. This module has no dropout: in training and in eval() the numbers are the same.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("F.softmax(scores, dim=-1)", "F.dropout(F.softmax(scores, dim=-1), 0.1, self.training)")],
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
        "query-layer-used-for-key",
        "The key comes from linear_q. It belongs to linear_k.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, PROJECTIONS.replace("linear_k", "linear_q"))],
    ),
    Mistake(
        "key-and-value-swapped",
        "linear_k and linear_v are exchanged: queries are compared with keys, and the values are mixed.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, "query, value, key = self.linear_q(x), self.linear_k(x), self.linear_v(x)")],
    ),
    Mistake(
        "input-as-key",
        "The queries were compared with x itself. They are compared with the keys, linear_k(x).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "x.transpose(-2, -1)")],
    ),
    Mistake(
        "value-as-key",
        "The queries were compared with the values. They are compared with the keys, linear_k(x).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "value.transpose(-2, -1)")],
    ),
    Mistake(
        "no-exp",
        "The scores were divided by their sum without exp(). A softmax takes the exponential first.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "scores / scores.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax was taken twice, which makes the weights almost equal. Once is enough.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "F.softmax(F.softmax(scores, dim=-1), dim=-1)")],
    ),
    Mistake(
        "nothing-projected",
        "The layers are there but not used: the scores and the output come from x itself. Project x first.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, "query = key = value = x")],
    ),
    Mistake(
        "root-of-the-length",
        "The scores are divided by the root of the number of tokens. The scale comes from the width, hidden_size.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* x.shape[1] ** -0.5")],
    ),
    Mistake(
        "viewed-as-transposed",
        "The key was given its transposed shape by reshape or view. That only cuts the same row of numbers at other places; "
        "transpose(-2, -1) moves them.",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "key.reshape(key.shape[0], key.shape[2], key.shape[1])")],
    ),
    Mistake(
        "not-transposed",
        "The key went into the product as it is. Turn its last two axes round first.",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "key")],
    ),
    Mistake(
        "first-two-axes",
        "transpose(0, 1) exchanges batch and tokens. The key needs its last two axes exchanged: transpose(-2, -1).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "key.transpose(0, 1)")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` turns round all axes, the batch too. Exchange only the last two: transpose(-2, -1).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "key.permute(2, 1, 0)")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · value.",
        caught_by=MAIN,
        edits=[("return weights @ value", "return weights.transpose(-2, -1) @ value")],
    ),
    Mistake(
        "future-hidden",
        "Later tokens are hidden by a causal mask. Here every token sees every token; masks come in the next unit.",
        caught_by=MAIN,
        edits=[
            (
                "weights = F.softmax(scores, dim=-1)",
                "hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
                '        weights = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)',
            )
        ],
    ),
    Mistake(
        "input-added",
        "x was added to the output, as the block around attention does in a transformer. Return weights · value alone.",
        caught_by=MAIN,
        edits=[("return weights @ value", "return x + weights @ value")],
    ),
    Mistake(
        "outputs-averaged",
        "The outputs were averaged over the tokens. Each token keeps its own row: (B, L, D).",
        caught_by=MAIN,
        edits=[("return weights @ value", "return (weights @ value).mean(dim=1)")],
    ),
    Mistake(
        "weights-returned-as-well",
        "The attention weights came back beside the output. Return the output alone.",
        caught_by=MAIN,
        edits=[("return weights @ value", "return weights @ value, weights")],
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
        "weights-detached",
        "The output is right, but the weights were cut off with .detach(), .data or torch.no_grad(), so query and key can't learn.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("return weights @ value", "return weights.detach() @ value")],
    ),
    # after "weights-detached": where no gradient comes at all, none can differ
    Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() cuts the way back, so nothing can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("return weights @ value", "return (weights @ value).detach()")],
    ),
    Mistake(
        "query-as-value",
        "The weights were applied to the queries. They belong on the values, linear_v(x).",
        caught_by=MAIN,
        edits=[("return weights @ value", "return weights @ query")],
    ),
    Mistake(
        "rounded-root",
        "√D was rounded down to a whole number (int, //, isqrt). Divide by the root as it is.",
        caught_by=MAIN,
        edits=[(" * self.scaling", " / int(x.shape[-1] ** 0.5)")],
    ),
    Mistake(
        "batch-joined",
        "All tokens of the batch were joined into one long sequence, so the sequences attend to each other. Keep the batch axis.",
        caught_by=MAIN,
        edits=[
            (PROJECTIONS, PROJECTIONS.replace("query, key, value = ", "parts = ")),
            (
                "        scores = ",
                "        query, key, value = (part.reshape(-1, x.shape[-1]) for part in parts)\n        scores = ",
            ),
            ("return weights @ value", "return (weights @ value).reshape(x.shape)"),
        ],
    ),
    Mistake(
        "float32-returned",
        "The numbers are right, but they came back as float32. Return the dtype that came in (.to(x.dtype)).",
        caught_by=MAIN,
        edits=[("return weights @ value", "return weights.float() @ value.float()")],
    ),
    kept_in_evaluation(MAIN),
]
