from families import causal_mask, dropout, instead_of_softmax, kept, layers, projections, results, scale, softmax
from families.some_of import without

from grader.judge.authoring import Mistake

LOW = "test_later_tokens_weigh_exactly_nothing"
DROPOUT = "test_dropout_acts_in_training_only"
ON_WEIGHTS = "test_dropout_acts_on_the_weights"
SOFTMAX = "F.softmax(scores, dim=-1)"
PRODUCT = "queries @ keys.transpose(1, 2)"
ROOT = "self.d_out**0.5"
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
CORNER = "self.mask[:n, :n]"
FILL = f"{CORNER}, -torch.inf"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
END = "return weights @ values"
LAYER = "nn.Linear(d_in, d_out, bias=qkv_bias)"

NOT_LOW_ENOUGH = "The hidden scores are not far enough below the visible ones, so later tokens still get a little weight. Fill in minus infinity."
OWN_TOKEN = (
    "Each token hides itself as well (diagonal=0), and the first one has no token left to look at. Begin at diagonal=1."
)

LAYERS = ("W_query", "W_key", "W_value")

MISTAKES = [
    # --- the scale
    *scale.mistakes(root=ROOT, width="d_out", compared="a query"),
    *scale.half_outside_the_power(root=ROOT, width="self.d_out"),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by √d_in, the width of x. The vectors that are compared have the width d_out.",
        edits=[(ROOT, "x.shape[-1]**0.5")],
    ),
    Mistake(
        "divided-by-d-out",
        "The scores are divided by d_out, not by its root (or the root was applied twice).",
        edits=[(ROOT, "self.d_out")],
    ),
    # --- the scores
    Mistake(
        "keys-not-transposed",
        "The keys were not transposed at all. The scores are queries · keysᵀ: transpose(1, 2).",
        edits=[("keys.transpose(1, 2)", "keys")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` reverses all axes of the keys, the batch too. Exchange the last two only: transpose(1, 2).",
        edits=[("keys.transpose(1, 2)", "keys.permute(2, 1, 0)")],
    ),
    Mistake(
        "keys-reshaped",
        "The keys were brought to (b, d_out, n) by reshape or view, which keeps the numbers in their old order, in rows of another length. "
        "transpose(1, 2) exchanges the axes.",
        edits=[("keys.transpose(1, 2)", "keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])")],
    ),
    Mistake(
        "columns-compared",
        "queriesᵀ · keys compares columns with columns, (d_out, d_out). Tokens are compared: queries · keysᵀ, (n, n).",
        edits=[(PRODUCT, "queries.transpose(1, 2) @ keys")],
    ),
    layers.queries_and_keys(queries="queries", keys="keys", last_two="1, 2"),
    Mistake(
        "inputs-compared",
        "The scores compare x with itself. They come from W_query(x) and W_key(x).",
        edits=[(PRODUCT, "x @ x.transpose(1, 2)")],
    ),
    Mistake(
        "queries-only",
        "Queries are compared with queries: the keys come from W_query, or have no part in the scores. They come from W_key.",
        edits=[("keys = self.W_key(x)", "keys = self.W_query(x)")],
    ),
    # --- the layers and what they are for
    *layers.keys_and_values(keys="keys", values="values", to_keys="W_key", to_values="W_value"),
    Mistake(
        "inputs-as-values",
        "The weights were applied to x itself. They belong on the values, W_value(x).",
        edits=[(END, "return weights @ x")],
    ),
    *layers.optional_bias(),
    Mistake(
        "bias-by-default",
        "When nothing is said about it, the three layers have a bias. `qkv_bias` is False by default.",
        edits=[("qkv_bias: bool = False", "qkv_bias: bool = True")],
    ),
    Mistake(
        "widths-exchanged",
        "d_in and d_out are exchanged in nn.Linear: first what comes in, then what goes out.",
        edits=[(LAYER, "nn.Linear(d_out, d_in, bias=qkv_bias)")],
        everywhere=True,
    ),
    Mistake(
        "plain-parameters",
        "The parameters have other names than W_query.weight, W_key.weight and W_value.weight. These come from three nn.Linear layers named "
        "W_query, W_key and W_value; an nn.Parameter has no `.weight`.",
        edits=[
            (LAYER, "nn.Parameter(torch.rand(d_in, d_out))"),
            ("queries = self.W_query(x)", "queries = x @ self.W_query"),
            ("keys = self.W_key(x)", "keys = x @ self.W_key"),
            ("values = self.W_value(x)", "values = x @ self.W_value"),
        ],
        everywhere=True,
    ),
    Mistake(
        "one-layer-for-all",
        "One and the same layer is used under all three names. Make three layers.",
        edits=[
            (f"self.W_key = {LAYER}", "self.W_key = self.W_query"),
            (f"self.W_value = {LAYER}", "self.W_value = self.W_query"),
        ],
    ),
    Mistake(
        "mask-as-parameter",
        "There are too many parameters. Is the mask one of them? It is not trained: use register_buffer. Only the three projections "
        "have parameters here; a layer behind the attention (out_proj) comes with several heads.",
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
    ),
    Mistake(
        "residual-added",
        "x was added to the result, which also needs d_in = d_out. That belongs to the block around the attention, not into it.",
        edits=[(END, END + " + x")],
    ),
    layers.own_value_only(end=END, other="earlier", values_alone="values"),
    # --- the softmax
    *causal_mask.mistakes(),
    softmax.no_softmax_of_infinite_scores(),
    *softmax.another_axis(query_axis="1"),
    softmax.another_sum(),
    Mistake(
        "softmax-twice",
        "The softmax was taken twice. The second one gives the later tokens weight again, for exp(0) is 1. Once is enough.",
        edits=[(SOFTMAX, "F.softmax(F.softmax(scores, dim=-1), dim=-1)")],
    ),
    # --- the mask
    Mistake(
        "own-token-hidden-finite",
        OWN_TOKEN,
        edits=[("diagonal=1", "diagonal=0"), (FILL, f"{CORNER}, -1e9")],
    ),
    Mistake("fill-not-low-enough", NOT_LOW_ENOUGH, caught_by=LOW, edits=[(FILL, f"{CORNER}, -100.0")]),
    # --- the dropout
    *dropout.mistakes(layer="self.dropout", acts=DROPOUT, on_weights=ON_WEIGHTS),
    *dropout.other_dropout(
        layer="self.dropout", acts=DROPOUT, on_output=ON_WEIGHTS, end=END, returned="weights @ values", hide=HIDE
    ),
    Mistake(
        "dropout-on-masked-scores",
        "Dropout was applied to the masked scores, where minus infinity times 0 is NaN. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(HIDE, HIDE + "\n        scores = self.dropout(scores)"), (DROP, "")],
    ),
    *without(
        dropout.own_dropout(
            layer="self.dropout", acts=DROPOUT, on_weights=ON_WEIGHTS, rows="sequences", wrong_layer="Dropout1d"
        ),
        "one-dropout-for-all-heads",
    ),
    # --- the rest
    *layers.returned_instead(
        end=END, missing="The last step is missing: weights · values.", inputs_check="test_input_is_left_alone"
    ),
    Mistake(
        "no-batch-axis",
        "The number of tokens was read from the first axis, which is the batch. It is the second one.",
        edits=[("n = x.shape[1]", "n = x.shape[0]")],
    ),
    results.returned("float32-only", "weights @ values"),
    softmax.output_detached(),
    kept.in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    # --- the layers mixed up
    *without(
        projections.mistakes(
            layers=LAYERS,
            queries="queries = self.W_query(x)",
            keys="keys = self.W_key(x)",
            values="values = self.W_value(x)",
        ),
        "keys-from-the-query-layer",
        "keys-and-values-exchanged",
    ),
    # --- more fills and softmaxes
    *instead_of_softmax.mistakes(
        "log-weights",
        "sigmoid",
        "not-divided",
        "not-divided-less-the-maximum",
        "softmax-over-everything",
        "softmax-over-each-sequence",
        softmax=SOFTMAX,
        scores="scores",
    ),
    # --- what becomes of the result
    *results.rows_of_tokens("weights @ values"),
    results.returned("float64-returned", "weights @ values"),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the values. A row holds the weights of one query: weights · values.",
        edits=[(END, "return weights.transpose(1, 2) @ values")],
    ),
    projections.layers_frozen(layers=LAYERS, layer=LAYER, gradients_check="test_gradients_reach_input_and_parameters"),
    projections.sizes_of_the_example(
        layer=LAYER, example="d_in = 3 and d_out = 2", of_the_example="nn.Linear(3, 2, bias=qkv_bias)"
    ),
]
