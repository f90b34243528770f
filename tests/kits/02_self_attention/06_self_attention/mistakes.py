from families import instead_of_softmax, kept, one_head, projections, results, softmax
from families.some_of import without

from grader.judge.authoring import Mistake

END = "return weights @ value"
PROJECTIONS = "query, key, value = self.linear_q(x), self.linear_k(x), self.linear_v(x)"

NEW = "nn.Linear(x.shape[-1], x.shape[-1])"
LAYERS = ("linear_q", "linear_k", "linear_v")

MISTAKES = [
    *one_head.mistakes(answers="x", gradients_check="test_gradients_reach_input_and_parameters"),
    softmax.no_softmax(),
    softmax.another_sum(),
    softmax.dropout_of_its_own(in_training="test_gradients_reach_input_and_parameters"),
    Mistake(
        "input-as-value",
        "The weights were applied to x itself. They belong on the values, linear_v(x).",
        edits=[("weights @ value", "weights @ x")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, linear_v(x).",
        edits=[("weights @ value", "weights @ key")],
    ),
    Mistake(
        "query-and-key-swapped",
        "The scores are key · queryᵀ, so rows and columns are exchanged. A row belongs to a query: query · keyᵀ.",
        edits=[("query @ key.transpose", "key @ query.transpose")],
    ),
    Mistake(
        "query-layer-used-for-key",
        "The key comes from linear_q. It belongs to linear_k.",
        edits=[(PROJECTIONS, PROJECTIONS.replace("linear_k", "linear_q"))],
    ),
    Mistake(
        "key-and-value-swapped",
        "linear_k and linear_v are exchanged. The queries are compared with the keys, linear_k(x); the weights are applied to the "
        "values, linear_v(x).",
        edits=[(PROJECTIONS, "query, value, key = self.linear_q(x), self.linear_k(x), self.linear_v(x)")],
    ),
    Mistake(
        "input-as-key",
        "The queries were compared with x itself. They are compared with the keys, linear_k(x).",
        edits=[("key.transpose(-2, -1)", "x.transpose(-2, -1)")],
    ),
    Mistake(
        "no-exp",
        "The scores were divided by their sum without exp(). A softmax takes the exponential first.",
        edits=[("F.softmax(scores, dim=-1)", "scores / scores.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "nothing-projected",
        "The layers are there but not used: the scores and the output come from x itself. Project x first.",
        edits=[(PROJECTIONS, "query = key = value = x")],
    ),
    Mistake(
        "root-of-the-length",
        "The scores are divided by the root of the number of tokens. The scale comes from the width, hidden_size.",
        edits=[("* self.scaling", "* x.shape[1] ** -0.5")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · value.",
        edits=[("return weights @ value", "return weights.transpose(-2, -1) @ value")],
    ),
    *[
        Mistake(
            f"{which}-made-in-forward",
            "Layers are made in `forward`, anew in each call: with other random numbers, and in float32. Make them once, in __init__.",
            edits=[(PROJECTIONS, "".join(f"self.{name} = {NEW}\n        " for name in made) + PROJECTIONS)],
        )
        for which, *made in [("all", *LAYERS), *zip(LAYERS, LAYERS, strict=True)]
    ],
    # after "weights-detached": where no gradient comes at all, none can differ
    kept.in_evaluation(),
    *without(
        projections.mistakes(
            layers=LAYERS,
            queries="= self.linear_q(x)",
            keys=", self.linear_k(x), self",
            values="self.linear_v(x)\n",
        ),
        "keys-from-the-query-layer",
        "keys-from-the-value-layer",
        "keys-and-values-exchanged",
    ),
    *projections.shared_layers(layers=LAYERS, layer="nn.Linear(hidden_size, hidden_size)"),
    projections.queries_not_projected(layers=LAYERS),
    *results.rows_of_tokens("weights @ value"),
    results.returned("float64-returned", "weights @ value"),
    *instead_of_softmax.mistakes(
        "log-weights",
        "future-hidden",
        *instead_of_softmax.ANOTHER_FUNCTION,
        "axis-of-the-sum-lost",
        "softmax-over-each-sequence",
        "uniform-weights",
        "softmax-in-float32",
        "negative-scores-cut-off",
        softmax="F.softmax(scores, dim=-1)",
        scores="scores",
    ),
    results.input_overwritten("weights @ value"),
    Mistake(
        "keys-compared-by-columns",
        "queryᵀ · key compares columns with columns, (D, D). Tokens are compared: query · keyᵀ, (L, L).",
        edits=[("query @ key.transpose(-2, -1)", "query.transpose(-2, -1) @ key")],
    ),
    projections.layers_frozen(
        layers=LAYERS,
        layer="nn.Linear(hidden_size, hidden_size)",
        gradients_check="test_gradients_reach_input_and_parameters",
    ),
    projections.sizes_of_the_example(
        layer="nn.Linear(hidden_size, hidden_size)", example="64", of_the_example="nn.Linear(64, 64)"
    ),
]
