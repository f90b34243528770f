from families import causal_mask, dropout, head_projections, heads, kept, layers, results, scale, softmax, too_weak
from families.some_of import without

from grader.judge.authoring import Mistake

DROPOUT = "test_dropout_acts_in_training_only"
ROOT = "self.head_dim**0.5"
HIDE = "scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)"
FILL = "self.mask[:n, :n], -torch.inf"
BUFFER = 'self.register_buffer("mask", later)'
DROP = "weights = self.dropout(weights)"
END = "return self.out_proj(context)"
DIVIDES = 'assert d_out % num_heads == 0, "d_out must be divisible by num_heads"'


MISTAKES = [
    # --- the scale
    *scale.mistakes(root=ROOT),
    *scale.half_outside_the_power(root=ROOT, width="self.head_dim"),
    Mistake(
        "scale-from-d-out",
        "The scores are divided by √d_out. A head compares vectors of width head_dim = d_out / num_heads, so it is √head_dim.",
        edits=[(ROOT, "self.d_out**0.5")],
    ),
    Mistake(
        "scale-from-d-in",
        "The scores are divided by √d_in, the width of x. A head compares vectors of width head_dim, so it is √head_dim.",
        edits=[(ROOT, "x.shape[-1]**0.5")],
    ),
    *scale.scale_of_heads(root=ROOT, heads="num_heads"),
    # --- splitting and merging
    *heads.split(heads="num_heads", heads_axis="num_heads"),
    heads.split_and_merge(heads="num_heads", heads_axis="num_heads"),
    heads.merge_without_transpose(values="values", joined="b, n, self.d_out"),
    heads.merge_interleaved(values="values", joined="b, n, self.d_out", heads_axis="num_heads"),
    heads.view_after_transpose(joined="b, n, self.d_out"),
    *heads.joined_otherwise(projected="self.W_value(x).view(in_heads)", values="values", joined="b, n, self.d_out"),
    *heads.keys_turned(keys="keys"),
    heads.keys_reversed(keys="keys"),
    heads.one_head("heads-ignored", heads="num_heads", model="d_out"),
    # --- the layers
    *without(layers.output_layer(end=END, out="out_proj", model="d_out"), "output-layer-unused"),
    layers.output_layer_unused(end=END, out="out_proj"),
    Mistake(
        "output-layer-without-bias",
        "out_proj has no bias, or only with qkv_bias=True. It always has one: qkv_bias is for W_query, W_key and W_value.",
        edits=[("nn.Linear(d_out, d_out)", "nn.Linear(d_out, d_out, bias=qkv_bias)")],
    ),
    *layers.optional_bias(),
    Mistake(
        "one-head-wide",
        "The projections put out head_dim numbers, enough for a single head. They put out d_out, and that is split into heads.",
        edits=[("(d_in, d_out, bias", "(d_in, self.head_dim, bias")],
        everywhere=True,
    ),
    *layers.keys_and_values(keys="keys", values="values", to_keys="W_key", to_values="W_value"),
    layers.queries_and_keys(queries="queries", keys="keys"),
    layers.own_value_only(end=END, other="earlier", values_alone="self.out_proj(self.W_value(x))"),
    # --- the softmax
    *causal_mask.mistakes(),
    softmax.no_softmax_of_infinite_scores(),
    *softmax.another_axis(query_axis="2"),
    softmax.over_the_heads(),
    softmax.another_sum(),
    # --- the mask
    Mistake(
        "own-token-hidden-finite",
        "Each token hides itself as well (diagonal=0). Begin at diagonal=1.",
        edits=[("diagonal=1", "diagonal=0"), (FILL, "self.mask[:n, :n], -1e9")],
    ),
    Mistake(
        "mask-as-parameter",
        "The mask was made a parameter. It is not trained: use register_buffer.",
        edits=[(BUFFER, "self.mask = nn.Parameter(later, requires_grad=False)")],
    ),
    # --- the dropout
    *dropout.mistakes(layer="self.dropout", acts=DROPOUT, on_weights="test_dropout_acts_on_the_weights"),
    *dropout.other_dropout(
        layer="self.dropout", acts=DROPOUT, on_output=DROPOUT, end=END, returned="self.out_proj(context)", hide=HIDE
    ),
    Mistake(
        "dropout-on-context",
        "Dropout was applied to the joined heads. It belongs on the weights, between the softmax and the values.",
        caught_by="test_dropout_acts_on_the_weights",
        edits=[(DROP, ""), (END, "return self.out_proj(self.dropout(context))")],
    ),
    *dropout.own_dropout(
        layer="self.dropout",
        acts=DROPOUT,
        on_weights="test_dropout_acts_on_the_weights",
        rows="heads",
        wrong_layer="Dropout2d",
    ),
    # --- the rest
    Mistake(
        "sizes-not-checked",
        "A d_out that num_heads does not divide is accepted. Refuse it in `__init__`, with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "d-in-checked-instead",
        "The check looks at d_in. It is d_out that is split into heads, and d_in may be any size.",
        edits=[("assert d_out %", "assert d_in %")],
    ),
    *layers.returned_instead(
        end=END,
        missing="Three steps are missing: weights · values, joining the heads, out_proj.",
        inputs_check="test_input_is_left_alone",
    ),
    softmax.output_detached(),
    kept.in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    too_weak.mistake(fill=FILL, weak_fill="self.mask[:n, :n], -100.0", loud="test_future_has_no_say"),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(
        queries="self.W_query(x)",
        keys="self.W_key(x)",
        values="self.W_value(x)",
        q="queries",
        v="values",
        last="out_proj",
    ),
    *softmax.another_function(),
    *results.rows_of_tokens("self.out_proj(context)"),
    results.returned("float32-only", "self.out_proj(context)"),
]
