from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula"
EQUAL = "test_equal_lengths"
SCORES = "query @ key.transpose(-2, -1) * self.scaling"
PROJECTIONS = "query, key, value = self.linear_q(x), self.linear_k(memory), self.linear_v(memory)"
SOFTMAX = "F.softmax(scores, dim=-1)"
RETURN = "return weights @ value"


def projected(query, key, value):
    """The line of the three projections, with other inputs."""
    return f"query, key, value = self.linear_q({query}), self.linear_k({key}), self.linear_v({value})"


WORDS = {
    "main": MAIN,
    "answers": "memory",
    "gradients_check": "test_gradients_reach_inputs_and_parameters",
    "to_queries": "linear_q",
    "to_keys": "linear_k",
    "to_values": "linear_v",
    "asking": "= self.",
    "asked": "(x)",
    "labelling": ", self.",
    "labelled": "(memory), self",
    "telling": "self.",
    "told": "(memory)\n",
    "softmax": "F.softmax(scores, dim=-1)",
    "scores": "scores",
    "layer": "nn.Linear(hidden_size, hidden_size)",
    "end": RETURN,
    "returned": "weights @ value",
    "example": "64",
    "of_the_example": "nn.Linear(64, 64)",
}

MISTAKES = [
    from_family("one_head", "layers-not-found"),
    Mistake(
        "query-from-memory",
        "The query comes from memory, as key and value do, so x is not used. With equal lengths even the shape is right. The query is "
        "linear_q(x).",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("memory", "memory", "memory"))],
    ),
    Mistake(
        "key-from-x",
        "The key comes from x. With equal lengths there is no error, only wrong numbers. Both key and value come from memory: linear_k(memory).",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("x", "x", "memory"))],
    ),
    Mistake(
        "value-from-x",
        "The value comes from x. With equal lengths there is no error, only wrong numbers. Both key and value come from memory: "
        "linear_v(memory).",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("x", "memory", "x"))],
    ),
    Mistake(
        "memory-ignored",
        "This is self-attention: query, key and value all come from x, and memory is not used. Key and value come from memory.",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("x", "x", "x"))],
    ),
    Mistake(
        "x-and-memory-swapped",
        "x and memory are exchanged: memory asks and x answers. The query comes from x, key and value from memory.",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("memory", "x", "x"))],
    ),
    Mistake(
        "query-and-value-from-memory",
        "The query comes from memory and the key from x. It is the other way round: the query from x, key and value from memory.",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("memory", "x", "memory"))],
    ),
    Mistake(
        "query-and-key-from-memory",
        "Query and key come from memory and the value from x. It should be the query from x, key and value from memory.",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("memory", "memory", "x"))],
    ),
    Mistake(
        "both-joined",
        "Key and value come from x and memory joined together. Here x asks memory alone; its own tokens do not answer.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, f"both = torch.cat([x, memory], dim=1)\n        {projected('x', 'both', 'both')}")],
    ),
    Mistake(
        "cut-to-the-same-length",
        "memory was cut (or viewed) to the length of x. The two lengths may differ: scores are (B, Lq, Lk), not square.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, f"memory = memory[:, : x.shape[1]]\n        {PROJECTIONS}")],
    ),
    Mistake(
        "viewed-with-the-query-length",
        "Key or value was viewed with the query's length. They have as many tokens as memory: take their own length from memory.",
        caught_by=MAIN,
        edits=[
            (
                PROJECTIONS,
                f"{PROJECTIONS}\n"
                "        key, value = (part.view(x.shape[0], x.shape[1], x.shape[2]) for part in (key, value))",
            )
        ],
    ),
    from_family("one_head", "no-scale", "scale-upside-down", "divided-by-width", "averaged-and-scaled"),
    Mistake(
        "root-of-the-memory-length",
        "The scores are divided by the root of the number of tokens in memory. The scale comes from the width, hidden_size.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* memory.shape[1] ** -0.5")],
    ),
    Mistake(
        "root-of-the-query-length",
        "The scores are divided by the root of the number of tokens in x. The scale comes from the width, hidden_size.",
        caught_by=MAIN,
        edits=[("* self.scaling", "* x.shape[1] ** -0.5")],
    ),
    from_family("one_head", "scaled-after-softmax", "softmax-over-queries", "softmax-over-batch"),
    from_family("softmax", "no-softmax", "divided-by-the-mean"),
    from_family("one_head", "softmax-twice"),
    Mistake(
        "memory-as-value",
        "The weights were applied to memory itself. They belong on the values, linear_v(memory).",
        caught_by=MAIN,
        edits=[(RETURN, "return weights @ memory")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, linear_v(memory).",
        caught_by=MAIN,
        edits=[(RETURN, "return weights @ key")],
    ),
    Mistake(
        "memory-as-key",
        "The queries were compared with memory itself. They are compared with the keys, linear_k(memory).",
        caught_by=MAIN,
        edits=[("key.transpose(-2, -1)", "memory.transpose(-2, -1)")],
    ),
    from_family("one_head", "value-as-key"),
    Mistake(
        "query-not-projected",
        "x itself was used as the query. Project it first: linear_q(x).",
        caught_by=MAIN,
        edits=[("self.linear_q(x)", "x")],
    ),
    Mistake(
        "nothing-projected",
        "The layers are there but not used: scores and output come from x and memory as they are. Project them first.",
        caught_by=MAIN,
        edits=[(PROJECTIONS, "query, key, value = x, memory, memory")],
    ),
    Mistake(
        "query-layer-used-for-key",
        "The key comes from linear_q. It belongs to linear_k.",
        caught_by=MAIN,
        edits=[("self.linear_k(memory)", "self.linear_q(memory)")],
    ),
    Mistake(
        "key-layer-used-for-value",
        "The value comes from linear_k. It belongs to linear_v.",
        caught_by=MAIN,
        edits=[("self.linear_v(memory)", "self.linear_k(memory)")],
        same_as="key-as-value",
    ),
    Mistake(
        "key-and-value-swapped",
        "linear_k and linear_v are exchanged. The queries are compared with the keys, linear_k(memory); the weights are applied to the "
        "values, linear_v(memory).",
        caught_by=MAIN,
        edits=[(PROJECTIONS, PROJECTIONS.replace("query, key, value", "query, value, key"))],
    ),
    Mistake(
        "query-and-key-swapped",
        "The scores are key · queryᵀ, so rows and columns are exchanged. A row belongs to a query: query · keyᵀ.",
        caught_by=EQUAL,
        edits=[(SCORES, "key @ query.transpose(-2, -1) * self.scaling")],
    ),
    from_family("one_head", "not-transposed", "viewed-as-transposed", "first-two-axes", "all-axes-reversed"),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · value.",
        caught_by=EQUAL,
        edits=[(RETURN, "return weights.transpose(-2, -1) @ value")],
    ),
    Mistake(
        "future-hidden",
        "Later tokens of memory are hidden by a causal mask. Memory is there as a whole: every token of x sees all of it.",
        caught_by=MAIN,
        edits=[
            (
                SOFTMAX,
                'F.softmax(scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf")), dim=-1)',
            )
        ],
    ),
    Mistake(
        "dropout-added",
        "In training some weights are dropped. This class has no dropout: its output is the same in both modes.",
        caught_by=MAIN,
        edits=[(RETURN, "return F.dropout(weights, 0.1, self.training) @ value")],
    ),
    Mistake(
        "dropout-added-to-the-output",
        "In training some numbers of the output are dropped. This class has no dropout: its output is the same in both modes.",
        caught_by=MAIN,
        edits=[(RETURN, "return F.dropout(weights @ value, 0.1, self.training)")],
    ),
    from_family("one_head", "input-added", "weights-returned-as-well", "weights-returned", "no-bias"),
    Mistake(
        "one-input-only",
        "`forward` takes one input. It takes two: x, which asks, and memory, which answers.",
        caught_by=MAIN,
        edits=[
            ("def forward(self, x: torch.Tensor, memory: torch.Tensor)", "def forward(self, x: torch.Tensor)"),
            (PROJECTIONS, projected("x", "x", "x")),
        ],
    ),
    Mistake(
        "memory-detached",
        "The output is right, but memory was cut off with .detach(), .data or torch.no_grad(). The encoder that made memory has to "
        "learn too: gradients flow back to memory.",
        caught_by="test_gradients_reach_inputs_and_parameters",
        edits=[(PROJECTIONS, f"memory = memory.detach()\n        {PROJECTIONS}")],
    ),
    from_family("one_head", "weights-detached"),
    # after the two above: where no gradient comes at all, none can differ
    from_family("one_head", "output-detached"),
    Mistake(
        "memory-overwritten",
        "An input was changed in place. The caller still needs x and memory: work on new tensors.",
        caught_by="test_inputs_are_left_alone",
        edits=[(RETURN, "memory.detach().zero_()\n        return weights @ value")],
    ),
    kept_in_evaluation(MAIN),
    from_family(
        "projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
        "values-from-the-query-layer",
        "queries-and-values-exchanged",
        "each-from-the-next-layer",
        "each-from-the-layer-before",
        "queries-and-keys-share-a-layer",
        "keys-and-values-share-a-layer",
        "queries-and-values-share-a-layer",
        "one-layer-under-three-names",
    ),
    Mistake(
        "query-and-key-layers-exchanged",
        "linear_q and linear_k are exchanged. The query is linear_q(x), the key linear_k(memory).",
        caught_by=MAIN,
        edits=[
            ("= self.linear_q(x)", "= self.linear_k(x)"),
            ("self.linear_k(memory), self", "self.linear_q(memory), self"),
        ],
    ),
    Mistake(
        "query-as-value",
        "The weights were applied to the queries. They belong on the values, linear_v(memory).",
        caught_by=EQUAL,
        edits=[(RETURN, "return weights @ query")],
    ),
    Mistake(
        "query-as-key",
        "The queries were compared with themselves. They are compared with the keys, linear_k(memory).",
        caught_by=EQUAL,
        edits=[("key.transpose(-2, -1)", "query.transpose(-2, -1)")],
    ),
    Mistake(
        "x-as-value",
        "The weights were applied to x itself. They belong on the values, linear_v(memory).",
        caught_by=EQUAL,
        edits=[(RETURN, "return weights @ x")],
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
        "tokens-averaged",
        "tokens-added-up",
        "result-transposed",
        "result-of-float32",
        "result-of-float64",
    ),
    from_family(
        "instead_of_softmax",
        "log-weights",
        "sigmoid",
        "not-divided",
        "not-divided-less-the-maximum",
        "axis-of-the-sum-lost",
        "divided-without-exp",
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
        "x-overwritten",
        "x was changed in place. The caller still needs x and memory: work on new tensors.",
        caught_by="test_inputs_are_left_alone",
        edits=[(RETURN, "x.detach().zero_()\n        return weights @ value")],
    ),
    Mistake(
        "columns-compared",
        "queryᵀ · key compares columns with columns. Tokens are compared: query · keyᵀ, (Lq, Lk).",
        caught_by=MAIN,
        edits=[("query @ key.transpose(-2, -1)", "query.transpose(-2, -1) @ key")],
    ),
    Mistake(
        "x-detached",
        "The output is right, but x was cut off with .detach(), .data or torch.no_grad(). Gradients flow back to x and to memory.",
        caught_by="test_gradients_reach_inputs_and_parameters",
        edits=[("self.linear_q(x)", "self.linear_q(x.detach())")],
    ),
    Mistake(
        "biases-left-out",
        "The layers' biases were left out of the sum. Call the layers, linear_q(x), or add linear_q.bias yourself.",
        caught_by=MAIN,
        edits=[
            (
                PROJECTIONS,
                "query = x @ self.linear_q.weight.T\n"
                "        key, value = (memory @ each.weight.T for each in (self.linear_k, self.linear_v))",
            )
        ],
    ),
    Mistake(
        "rounded-root",
        "√D was rounded down to a whole number (int, //, isqrt). Divide by the root as it is.",
        caught_by=MAIN,
        edits=[(" * self.scaling", " / int(x.shape[-1] ** 0.5)")],
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
