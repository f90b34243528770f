from families import head_projections, heads, kept, layers, results, scale, softmax
from families.some_of import without

from grader.judge.authoring import Mistake

REPEAT_K = "k = k.repeat_interleave(group, dim=1)"
REPEAT_V = "v = v.repeat_interleave(group, dim=1)"
SOFTMAX = "F.softmax(scores, dim=-1)"
ROOT = "self.head_dim**0.5"
MERGE = "(weights @ v).transpose(1, 2).reshape(b, s, hidden_dim)"
CONTEXT = "context = " + MERGE
END = "return self.o_proj(context)"
HEADS_CHECK = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'
GROUPS_CHECK = (
    '        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"\n'
)
NARROW = "nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)"
K_LAYER, V_LAYER = "self.k_proj = " + NARROW, "self.v_proj = " + NARROW
WIDE = "nn.Linear(hidden_dim, hidden_dim)"


MISTAKES = [
    # --- which key head serves which query head
    Mistake(
        "tiled",
        "The key and value heads were laid out as A B A B (repeat, cat, or query heads viewed as (group, kv)). "
        "Query heads that share a key head are neighbours: A A B B, as repeat_interleave gives.",
        edits=[(REPEAT_K, "k = k.repeat(1, group, 1, 1)"), (REPEAT_V, "v = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "keys-tiled",
        "The values are laid out as A A B B, but the keys as A B A B. Use repeat_interleave for both.",
        edits=[(REPEAT_K, "k = k.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "values-tiled",
        "The keys are laid out as A A B B, but the values as A B A B. Use repeat_interleave for both.",
        edits=[(REPEAT_V, "v = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "heads-averaged",
        "All query heads use the average of the key and value heads. Each group of query heads has its own.",
        edits=[
            (REPEAT_K, "k = k.mean(1, keepdim=True).repeat(1, self.nums_head, 1, 1)"),
            (REPEAT_V, "v = v.mean(1, keepdim=True).repeat(1, self.nums_head, 1, 1)"),
        ],
    ),
    Mistake(
        "not-repeated",
        "There are fewer key and value heads than query heads, and keys or values were not repeated along the heads: "
        "nums_head // nums_key_value_head times each, both of them.",
        edits=[(REPEAT_K + "\n", "\n"), (REPEAT_V + "\n", "\n")],
    ),
    Mistake(
        "repeated-kv-times",
        "The heads were repeated nums_key_value_head times. The number of copies is nums_head // nums_key_value_head.",
        edits=[("group = self.nums_head // self.nums_key_value_head", "group = self.nums_key_value_head")],
    ),
    # --- the sizes of the layers
    Mistake(
        "full-width-keys-and-values",
        "k_proj and v_proj put out hidden_dim numbers. They are narrower here, nums_key_value_head * head_dim: that is what "
        "grouped-query attention saves.",
        edits=[(K_LAYER, "self.k_proj = " + WIDE), (V_LAYER, "self.v_proj = " + WIDE)],
    ),
    Mistake(
        "full-width-values",
        "v_proj puts out hidden_dim numbers. Like k_proj it is narrower here, nums_key_value_head * head_dim.",
        edits=[(V_LAYER, "self.v_proj = " + WIDE)],
    ),
    Mistake(
        "one-head-wide",
        "k_proj and v_proj put out a single head, head_dim numbers. They need nums_key_value_head of them.",
        edits=[("nums_key_value_head * self.head_dim)", "self.head_dim)")],
        everywhere=True,
    ),
    Mistake(
        "head-dim-from-key-heads",
        "head_dim was taken from nums_key_value_head. It is hidden_dim // nums_head, for keys and values too.",
        edits=[("self.head_dim = hidden_dim // nums_head", "self.head_dim = hidden_dim // nums_key_value_head")],
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear has one unless bias=False is given.",
        edits=[
            ("self.head_dim)\n        self.", "self.head_dim, bias=False)\n        self."),
            (WIDE, "nn.Linear(hidden_dim, hidden_dim, bias=False)"),
        ],
        everywhere=True,
    ),
    *without(layers.output_layer(end=END, out="o_proj", model="hidden_dim", x="X"), "output-layer-unused"),
    layers.output_layer_unused(end=END, out="o_proj"),
    # --- the scores and the weights
    *scale.mistakes(root=ROOT, tokens="s"),
    scale.scale_of_the_model(root=ROOT),
    *scale.scale_of_heads(root=ROOT, heads="nums_head"),
    Mistake(
        "not-normalised",
        "The exponentials of the scores were used as weights. Each row still has to be divided by its sum.",
        edits=[(SOFTMAX, "scores.exp()")],
    ),
    softmax.no_softmax(),
    *softmax.another_axis(query_axis="2"),
    softmax.over_the_heads(),
    softmax.another_sum(),
    Mistake(
        "causal",
        "Later tokens are hidden. This exercise has no mask: every token sees every token.",
        edits=[(SOFTMAX, "F.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1)")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, v_proj(X).",
        edits=[("v = self.v_proj(X)", "v = self.k_proj(X)")],
    ),
    Mistake(
        "value-as-key",
        "The queries were compared with the values, v_proj(X) (or k_proj and v_proj are one and the same layer). They are compared with "
        "the keys, k_proj(X).",
        edits=[("k = self.k_proj(X)", "k = self.v_proj(X)")],
    ),
    *without(layers.keys_and_values(x="X"), "keys-as-values"),
    Mistake(
        "query-and-key-swapped",
        "The scores are k · qᵀ, so rows and columns are exchanged. A row belongs to a query: q · kᵀ.",
        edits=[("q @ k.transpose(2, 3)", "k @ q.transpose(2, 3)")],
    ),
    *heads.keys_turned(),
    # --- splitting and merging
    *without(heads.split(heads="nums_head", kv="nums_key_value_head", tokens="s"), "heads-attend-to-heads"),
    heads.split_and_merge(heads="nums_head", kv="nums_key_value_head", tokens="s"),
    heads.merge_without_transpose(joined="b, s, hidden_dim"),
    *heads.joined_otherwise(
        projected="self.v_proj(X).view(b, s, self.nums_key_value_head, self.head_dim)", joined="b, s, hidden_dim"
    ),
    heads.merge_interleaved(joined="b, s, hidden_dim", tokens="s"),
    Mistake(
        "view-after-transpose",
        "view cannot join dimensions after a transpose. Use reshape, or contiguous() before the view.",
        edits=[(MERGE, "(weights @ v).transpose(1, 2).view(b, s, hidden_dim)")],
    ),
    # --- no attention at all
    Mistake(
        "own-value-only",
        "There is no attention: each token got only its own value. The values of all tokens must be mixed, with the weights.",
        edits=[(CONTEXT, CONTEXT.replace("(weights @ v)", "v"))],
    ),
    Mistake(
        "largest-score-only",
        "Each token got only the value of the key with the largest score. Softmax gives every key a weight.",
        edits=[(SOFTMAX, "F.one_hot(scores.argmax(-1), s).to(v.dtype)")],
    ),
    Mistake(
        "input-returned",
        "X came back as it was. Return o_proj(...) of the joined heads.",
        edits=[(END, "return X")],
    ),
    *layers.returned_instead(
        end=END,
        x="X",
        missing="Three steps are missing: weights · v, joining the heads, o_proj.",
        inputs_check="test_input_is_left_alone",
    ),
    # --- the rest
    Mistake(
        "dropout-of-its-own",
        "Weights are dropped in training. This module has no dropout: in training and in eval() the numbers are the same.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"F.dropout({SOFTMAX}, 0.1, self.training)")],
    ),
    Mistake(
        "heads-not-checked",
        "A hidden_dim that nums_head does not divide is accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(HEADS_CHECK, "")],
    ),
    Mistake(
        "groups-not-checked",
        "A nums_head that nums_key_value_head does not divide is accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(GROUPS_CHECK, "")],
    ),
    Mistake(
        "groups-checked-the-wrong-way-round",
        "The second check asks whether nums_key_value_head is divisible by nums_head. It is the other way round.",
        edits=[("assert nums_head % nums_key_value_head == 0", "assert nums_key_value_head % nums_head == 0")],
    ),
    Mistake(
        "key-width-checked-instead",
        "The second check asks whether hidden_dim is divisible by nums_key_value_head. It is nums_head that must be.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[("assert nums_head % nums_key_value_head == 0", "assert hidden_dim % nums_key_value_head == 0")],
    ),
    softmax.output_detached(),
    Mistake(
        "keys-and-values-detached",
        "The numbers are right, but keys and values were cut off from their layers (.detach(), .data or torch.no_grad()), "
        "so k_proj and v_proj would never be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[
            (REPEAT_K, "k = k.detach().repeat_interleave(group, dim=1)"),
            (REPEAT_V, "v = v.detach().repeat_interleave(group, dim=1)"),
        ],
    ),
    kept.in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    # --- met in other people's code
    *without(layers.biases(model="hidden_dim"), "no-bias", "projections-without-a-bias"),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(queries="self.q_proj(X)", keys="self.k_proj(X)", values="self.v_proj(X)"),
    *without(softmax.another_function(), "not-divided-by-the-sum", "largest-score-only"),
    *results.rows_of_tokens("self.o_proj(context)"),
    results.returned("float32-only", "self.o_proj(context)"),
]
