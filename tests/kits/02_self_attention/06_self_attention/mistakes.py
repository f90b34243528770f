from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula"
SCORES = "query @ key.transpose(-2, -1) * self.scaling"
END = "return weights @ value"
PROJECTIONS = "query, key, value = self.linear_q(x), self.linear_k(x), self.linear_v(x)"

WORDS = {
    "main": MAIN,
    "answers": "x",
    "gradients_check": "test_gradients_reach_input_and_parameters",
    "to_queries": "linear_q",
    "to_keys": "linear_k",
    "to_values": "linear_v",
    "asking": "= self.",
    "asked": "(x)",
    "labelling": ", self.",
    "labelled": "(x), self",
    "telling": "self.",
    "told": "(x)\n",
    "softmax": "F.softmax(scores, dim=-1)",
    "scores": "scores",
    "layer": "nn.Linear(hidden_size, hidden_size)",
    "asks": "x",
    "end": END,
    "returned": "weights @ value",
    "example": "64",
    "of_the_example": "nn.Linear(64, 64)",
}

MISTAKES = [
    from_family(
        "one_head", "layers-not-found", "no-scale", "scale-upside-down", "divided-by-width", "averaged-and-scaled"
    ),
    Mistake(
        "scaled-twice",
        "The scale was applied twice, so the scores are divided by D. Scale the query or the scores, not both.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* self.scaling * self.scaling")],
        same_as="divided-by-width",
    ),
    from_family("one_head", "scaled-after-softmax", "softmax-over-queries", "softmax-over-batch"),
    from_family("softmax", "no-softmax", "divided-by-the-mean"),
    Mistake(
        "no-softmax-no-scale",
        "The plain products of query and key were used as weights. First divide them by √D, then take the softmax over the last axis.",
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
        "linear_k and linear_v are exchanged. The queries are compared with the keys, linear_k(x); the weights are applied to the "
        "values, linear_v(x).",
        caught_by=MAIN,
        edits=[(PROJECTIONS, "query, value, key = self.linear_q(x), self.linear_k(x), self.linear_v(x)")],
    ),
    Mistake(
        "input-as-key",
        "The queries were compared with x itself. They are compared with the keys, linear_k(x).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "x.transpose(-2, -1)")],
    ),
    from_family("one_head", "value-as-key"),
    Mistake(
        "no-exp",
        "The scores were divided by their sum without exp(). A softmax takes the exponential first.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "scores / scores.sum(dim=-1, keepdim=True)")],
    ),
    from_family("one_head", "softmax-twice"),
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
    from_family("one_head", "viewed-as-transposed", "not-transposed", "first-two-axes", "all-axes-reversed"),
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
    from_family("one_head", "input-added"),
    Mistake(
        "outputs-averaged",
        "The outputs were averaged over the tokens. Each token keeps its own row: (B, L, D).",
        caught_by=MAIN,
        edits=[("return weights @ value", "return (weights @ value).mean(dim=1)")],
    ),
    from_family("one_head", "weights-returned-as-well", "weights-returned", "no-bias", "weights-detached"),
    # after "weights-detached": where no gradient comes at all, none can differ
    from_family("one_head", "output-detached"),
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
    from_family(
        "projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
        "queries-and-values-exchanged",
        "each-from-the-next-layer",
        "each-from-the-layer-before",
        "queries-and-keys-share-a-layer",
        "keys-and-values-share-a-layer",
        "queries-and-values-share-a-layer",
        "one-layer-under-three-names",
        "queries-not-projected",
    ),
    from_family(
        "results",
        "squeezed",
        "squeezed-in-front",
        "squeezed-tokens",
        "squeezed-width",
        "only-the-last-token",
        "only-the-first-token",
        "only-the-first-sequence",
        "tokens-added-up",
        "result-transposed",
        "result-of-float64",
    ),
    from_family(
        "instead_of_softmax",
        "log-weights",
        "sigmoid",
        "not-divided",
        "not-divided-less-the-maximum",
        "axis-of-the-sum-lost",
        "softmax-over-everything",
        "softmax-over-each-sequence",
        "minus-sign",
        "only-the-best",
        "uniform-weights",
        "softmax-in-float32",
        "sign-dropped",
        "negative-scores-cut-off",
    ),
    Mistake(
        "input-overwritten",
        "x itself was changed (a method that ends in an underscore, +=, or an assignment into x). The caller still needs it.",
        caught_by="test_input_is_left_alone",
        edits=[(END, f"x.detach().zero_()\n        {END}")],
    ),
    Mistake(
        "keys-compared-by-columns",
        "queryᵀ · key compares columns with columns, (D, D). Tokens are compared: query · keyᵀ, (L, L).",
        caught_by=MAIN,
        edits=[("query @ key.transpose(-2, -1)", "query.transpose(-2, -1) @ key")],
    ),
    Mistake(
        "input-detached",
        "The output is right, but x was cut off with .detach(), .data or torch.no_grad(), so nothing before this module can learn.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(PROJECTIONS, f"x = x.detach()\n        {PROJECTIONS}")],
    ),
    Mistake(
        "biases-left-out",
        "The layers' biases were left out of the sum. Call the layers, linear_q(x), or add linear_q.bias yourself.",
        caught_by=MAIN,
        edits=[
            (
                PROJECTIONS,
                "query, key, value = (x @ each.weight.T for each in (self.linear_q, self.linear_k, self.linear_v))",
            )
        ],
    ),
    Mistake(
        "scaled-by-a-constant",
        "The scores are divided by 8, the root of the width 64 of the example. Take the root of hidden_size.",
        caught_by=MAIN,
        edits=[(" * self.scaling", " / 8")],
    ),
    Mistake(
        "root-of-the-batch",
        "The scores are divided by the root of the batch size. The scale comes from the width, hidden_size.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* x.shape[0] ** -0.5")],
    ),
    from_family("projections", "layers-frozen", "sizes-of-the-example"),
    from_family("results", "tokens-and-width-joined", "batch-and-tokens-joined", "result-of-float16"),
    from_family(
        "projections",
        "layers-q-q-q",
        "layers-q-q-k",
        "layers-q-v-q",
        "layers-k-q-q",
        "layers-k-q-k",
        "layers-k-k-q",
        "layers-k-k-k",
        "layers-k-v-k",
        "layers-k-v-v",
        "layers-v-q-q",
        "layers-v-q-v",
        "layers-v-k-k",
        "layers-v-v-q",
        "layers-v-v-k",
        "layers-v-v-v",
    ),
]
