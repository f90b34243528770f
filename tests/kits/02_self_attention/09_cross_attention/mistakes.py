from families import instead_of_softmax, kept, one_head, projections, results, softmax
from families.some_of import without

from grader.judge.authoring import Mistake

EQUAL = "test_equal_lengths"
SCORES = "query @ key.transpose(-2, -1) * self.scaling"
PROJECTIONS = "query, key, value = self.linear_q(x), self.linear_k(memory), self.linear_v(memory)"
SOFTMAX = "F.softmax(scores, dim=-1)"
RETURN = "return weights @ value"


def projected(query, key, value):
    """The line of the three projections, with other inputs."""
    return f"query, key, value = self.linear_q({query}), self.linear_k({key}), self.linear_v({value})"


LAYERS = ("linear_q", "linear_k", "linear_v")

MISTAKES = [
    *one_head.mistakes(answers="memory", gradients_check="test_gradients_reach_inputs_and_parameters"),
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
        "query-and-key-from-memory",
        "Query and key come from memory and the value from x. It should be the query from x, key and value from memory.",
        caught_by=EQUAL,
        edits=[(PROJECTIONS, projected("memory", "memory", "x"))],
    ),
    Mistake(
        "both-joined",
        "Key and value come from x and memory joined together. Here x asks memory alone; its own tokens do not answer.",
        edits=[(PROJECTIONS, f"both = torch.cat([x, memory], dim=1)\n        {projected('x', 'both', 'both')}")],
    ),
    Mistake(
        "cut-to-the-same-length",
        "memory was cut (or viewed) to the length of x. The two lengths may differ: scores are (B, Lq, Lk), not square.",
        edits=[(PROJECTIONS, f"memory = memory[:, : x.shape[1]]\n        {PROJECTIONS}")],
    ),
    Mistake(
        "viewed-with-the-query-length",
        "Key or value was viewed with the query's length. They have as many tokens as memory: take their own length from memory.",
        edits=[
            (
                PROJECTIONS,
                f"{PROJECTIONS}\n"
                "        key, value = (part.view(x.shape[0], x.shape[1], x.shape[2]) for part in (key, value))",
            )
        ],
    ),
    Mistake(
        "root-of-the-memory-length",
        "The scores are divided by the root of the number of tokens in memory. The scale comes from the width, hidden_size.",
        edits=[("* self.scaling", "* memory.shape[1] ** -0.5")],
    ),
    softmax.no_softmax(),
    softmax.another_sum(),
    Mistake(
        "memory-as-value",
        "The weights were applied to memory itself. They belong on the values, linear_v(memory).",
        edits=[(RETURN, "return weights @ memory")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, linear_v(memory).",
        edits=[(RETURN, "return weights @ key")],
    ),
    Mistake(
        "memory-as-key",
        "The queries were compared with memory itself. They are compared with the keys, linear_k(memory).",
        edits=[("key.transpose(-2, -1)", "memory.transpose(-2, -1)")],
    ),
    Mistake(
        "query-not-projected",
        "x itself was used as the query. Project it first: linear_q(x).",
        edits=[("self.linear_q(x)", "x")],
    ),
    Mistake(
        "nothing-projected",
        "The layers are there but not used: scores and output come from x and memory as they are. Project them first.",
        edits=[(PROJECTIONS, "query, key, value = x, memory, memory")],
    ),
    Mistake(
        "query-layer-used-for-key",
        "The key comes from linear_q. It belongs to linear_k.",
        edits=[("self.linear_k(memory)", "self.linear_q(memory)")],
    ),
    Mistake(
        "key-and-value-swapped",
        "linear_k and linear_v are exchanged. The queries are compared with the keys, linear_k(memory); the weights are applied to the "
        "values, linear_v(memory).",
        edits=[(PROJECTIONS, PROJECTIONS.replace("query, key, value", "query, value, key"))],
    ),
    Mistake(
        "query-and-key-swapped",
        "The scores are key · queryᵀ, so rows and columns are exchanged. A row belongs to a query: query · keyᵀ.",
        caught_by=EQUAL,
        edits=[(SCORES, "key @ query.transpose(-2, -1) * self.scaling")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · value.",
        caught_by=EQUAL,
        edits=[(RETURN, "return weights.transpose(-2, -1) @ value")],
    ),
    Mistake(
        "future-hidden",
        "Later tokens of memory are hidden by a causal mask. Memory is there as a whole: every token of x sees all of it.",
        edits=[(SOFTMAX, 'F.softmax(scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf")), dim=-1)')],
    ),
    Mistake(
        "dropout-added",
        "In training some weights are dropped. This class has no dropout: its output is the same in both modes.",
        edits=[(RETURN, "return F.dropout(weights, 0.1, self.training) @ value")],
    ),
    Mistake(
        "one-input-only",
        "`forward` takes one input. It takes two: x, which asks, and memory, which answers.",
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
    # after the two above: where no gradient comes at all, none can differ
    Mistake(
        "memory-overwritten",
        "An input was changed in place. The caller still needs x and memory: work on new tensors.",
        caught_by="test_inputs_are_left_alone",
        edits=[(RETURN, "memory.detach().zero_()\n        return weights @ value")],
    ),
    kept.in_evaluation(),
    *without(
        projections.mistakes(
            layers=LAYERS,
            queries="= self.linear_q(x)",
            keys=", self.linear_k(memory), self",
            values="self.linear_v(memory)\n",
        ),
        "keys-from-the-query-layer",
        "keys-from-the-value-layer",
        "keys-and-values-exchanged",
    ),
    *projections.shared_layers(layers=LAYERS, layer="nn.Linear(hidden_size, hidden_size)"),
    *results.rows_of_tokens("weights @ value"),
    results.returned("float32-only", "weights @ value"),
    results.returned("float64-returned", "weights @ value"),
    *instead_of_softmax.mistakes(
        "log-weights",
        *instead_of_softmax.ANOTHER_FUNCTION,
        "axis-of-the-sum-lost",
        "divided-without-exp",
        "softmax-over-each-sequence",
        "uniform-weights",
        "softmax-in-float32",
        "negative-scores-cut-off",
        softmax="F.softmax(scores, dim=-1)",
        scores="scores",
    ),
    projections.layers_frozen(
        layers=LAYERS,
        layer="nn.Linear(hidden_size, hidden_size)",
        gradients_check="test_gradients_reach_inputs_and_parameters",
    ),
    projections.sizes_of_the_example(
        layer="nn.Linear(hidden_size, hidden_size)", example="64", of_the_example="nn.Linear(64, 64)"
    ),
]
