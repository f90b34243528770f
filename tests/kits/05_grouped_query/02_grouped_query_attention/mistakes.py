from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula"
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
SPLIT_Q = "view(b, s, self.nums_head, self.head_dim).transpose(1, 2)"
SPLIT_KV = "view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)"
NARROW = "nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)"
K_LAYER, V_LAYER = "self.k_proj = " + NARROW, "self.v_proj = " + NARROW
WIDE = "nn.Linear(hidden_dim, hidden_dim)"

WORDS = {
    "main": MAIN,
    "root": ROOT,
    "width": "head_dim",
    "compared": "one head",
    "tokens": "s",
    "heads": "nums_head",
    "heads_axis": "heads",
    "keys": "k",
    "query_axis": "2",
    "x": "X",
    "values": "v",
    "to_keys": "k_proj",
    "to_values": "v_proj",
    "end": END,
    "missing": "Three steps are missing: weights · v, joining the heads, o_proj.",
    "inputs_check": "test_input_is_left_alone",
    "model": "hidden_dim",
    "joined": "b, s, hidden_dim",
    "out": "o_proj",
    "zeros": "X",
    "asks": "self.q_proj(X)",
    "answers": "self.k_proj(X)",
    "mixed": "self.v_proj(X)",
    "result": "self.o_proj(context)",
    "single": MAIN,
    "double": MAIN,
    "q": "q",
    "v": "v",
    "split_q": ".view(b, s, self.nums_head, self.head_dim).transpose(1, 2)",
    "unsplit_q": ".view(b, self.nums_head, s, self.head_dim)",
    "split": ".view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)",
    "unsplit": ".view(b, self.nums_key_value_head, s, self.head_dim)",
    "last": "o_proj",
}

MISTAKES = [
    # --- which key head serves which query head
    Mistake(
        "tiled",
        "The key and value heads were laid out as A B A B (repeat, cat, or query heads viewed as (group, kv)). "
        "Query heads that share a key head are neighbours: A A B B, as repeat_interleave gives.",
        caught_by=MAIN,
        edits=[(REPEAT_K, "k = k.repeat(1, group, 1, 1)"), (REPEAT_V, "v = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "keys-tiled",
        "The values are laid out as A A B B, but the keys as A B A B. Use repeat_interleave for both.",
        caught_by=MAIN,
        edits=[(REPEAT_K, "k = k.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "values-tiled",
        "The keys are laid out as A A B B, but the values as A B A B. Use repeat_interleave for both.",
        caught_by=MAIN,
        edits=[(REPEAT_V, "v = v.repeat(1, group, 1, 1)")],
    ),
    Mistake(
        "first-head-for-all",
        "All query heads use the first key and value head. Each group of query heads has its own.",
        caught_by=MAIN,
        edits=[
            (REPEAT_K, "k = k[:, :1].repeat(1, self.nums_head, 1, 1)"),
            (REPEAT_V, "v = v[:, :1].repeat(1, self.nums_head, 1, 1)"),
        ],
    ),
    Mistake(
        "heads-averaged",
        "All query heads use the average of the key and value heads. Each group of query heads has its own.",
        caught_by=MAIN,
        edits=[
            (REPEAT_K, "k = k.mean(1, keepdim=True).repeat(1, self.nums_head, 1, 1)"),
            (REPEAT_V, "v = v.mean(1, keepdim=True).repeat(1, self.nums_head, 1, 1)"),
        ],
    ),
    Mistake(
        "not-repeated",
        "There are fewer key and value heads than query heads, and keys or values were not repeated along the heads: "
        "nums_head // nums_key_value_head times each, both of them.",
        caught_by=MAIN,
        edits=[(REPEAT_K + "\n", "\n"), (REPEAT_V + "\n", "\n")],
    ),
    Mistake(
        "values-not-repeated",
        "The keys were repeated, the values were not. Both need as many heads as the queries.",
        caught_by=MAIN,
        edits=[(REPEAT_V + "\n", "\n")],
        same_as="not-repeated",
    ),
    Mistake(
        "repeated-along-the-tokens",
        "Keys or values were repeated along the tokens. After the transpose the heads are dimension 1, before it dimension 2.",
        caught_by=MAIN,
        edits=[
            (REPEAT_K, "k = k.repeat_interleave(group, dim=2)"),
            (REPEAT_V, "v = v.repeat_interleave(group, dim=2)"),
        ],
        same_as="not-repeated",
    ),
    Mistake(
        "queries-averaged",
        "The query heads of a group were averaged. They stay different; they only share a key head and a value head.",
        caught_by=MAIN,
        edits=[
            (
                REPEAT_K,
                REPEAT_K
                + "\n        q = q.unflatten(1, (self.nums_key_value_head, group)).mean(2).repeat_interleave(group, dim=1)",
            )
        ],
    ),
    Mistake(
        "repeated-kv-times",
        "The heads were repeated nums_key_value_head times. The number of copies is nums_head // nums_key_value_head.",
        caught_by=MAIN,
        edits=[("group = self.nums_head // self.nums_key_value_head", "group = self.nums_key_value_head")],
    ),
    # --- the sizes of the layers
    Mistake(
        "full-width-keys-and-values",
        "k_proj and v_proj put out hidden_dim numbers. They are narrower here, nums_key_value_head * head_dim: that is what "
        "grouped-query attention saves.",
        caught_by=MAIN,
        edits=[(K_LAYER, "self.k_proj = " + WIDE), (V_LAYER, "self.v_proj = " + WIDE)],
    ),
    Mistake(
        "full-width-values",
        "v_proj puts out hidden_dim numbers. Like k_proj it is narrower here, nums_key_value_head * head_dim.",
        caught_by=MAIN,
        edits=[(V_LAYER, "self.v_proj = " + WIDE)],
    ),
    Mistake(
        "narrow-queries",
        "q_proj is as narrow as k_proj. There are still nums_head query heads, so it puts out hidden_dim numbers.",
        caught_by=MAIN,
        edits=[("nn.Linear(hidden_dim, nums_head * self.head_dim)", NARROW)],
    ),
    Mistake(
        "one-head-wide",
        "k_proj and v_proj put out a single head, head_dim numbers. They need nums_key_value_head of them.",
        caught_by=MAIN,
        edits=[("nums_key_value_head * self.head_dim)", "self.head_dim)")],
        everywhere=True,
    ),
    Mistake(
        "head-dim-from-key-heads",
        "head_dim was taken from nums_key_value_head. It is hidden_dim // nums_head, for keys and values too.",
        caught_by=MAIN,
        edits=[("self.head_dim = hidden_dim // nums_head", "self.head_dim = hidden_dim // nums_key_value_head")],
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear has one unless bias=False is given.",
        caught_by=MAIN,
        edits=[
            ("self.head_dim)\n        self.", "self.head_dim, bias=False)\n        self."),
            (WIDE, "nn.Linear(hidden_dim, hidden_dim, bias=False)"),
        ],
        everywhere=True,
    ),
    from_family("layers", "no-output-layer", "output-layer-unused"),
    # --- the scores and the weights
    from_family("scale", "no-scale", "scale-from-hidden-dim"),
    Mistake(
        "scale-from-key-width",
        "The scores are divided by the root of the width of k before it was split (nums_key_value_head * head_dim). "
        "It is √head_dim.",
        caught_by=MAIN,
        edits=[(ROOT, "self.k_proj.out_features**0.5")],
    ),
    from_family(
        "scale",
        "scale-from-heads",
        "scale-from-tokens",
        "divided-by-head-dim",
        "scale-upside-down",
        "scaled-after-softmax",
    ),
    Mistake(
        "not-normalised",
        "The exponentials of the scores were used as weights. Each row still has to be divided by its sum.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "scores.exp()")],
    ),
    from_family("softmax", "no-softmax", "softmax-over-queries", "softmax-over-heads", "softmax-over-batch"),
    from_family("softmax", "divided-by-the-mean"),
    Mistake(
        "softmax-over-everything",
        "The softmax runs over queries and keys together, so all weights of a head together sum to 1. Each query's row must sum to 1: dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores.flatten(2), dim=-1).view_as(scores)")],
    ),
    Mistake(
        "causal",
        "Later tokens are hidden. This exercise has no mask: every token sees every token.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1)")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, v_proj(X).",
        caught_by=MAIN,
        edits=[("v = self.v_proj(X)", "v = self.k_proj(X)")],
    ),
    Mistake(
        "value-as-key",
        "The queries were compared with the values, v_proj(X) (or k_proj and v_proj are one and the same layer). They are compared with "
        "the keys, k_proj(X).",
        caught_by=MAIN,
        edits=[("k = self.k_proj(X)", "k = self.v_proj(X)")],
    ),
    from_family("layers", "keys-and-values-swapped"),
    Mistake(
        "query-and-key-swapped",
        "The scores are k · qᵀ, so rows and columns are exchanged. A row belongs to a query: q · kᵀ.",
        caught_by=MAIN,
        edits=[("q @ k.transpose(2, 3)", "k @ q.transpose(2, 3)")],
    ),
    from_family("heads", "keys-wrong-axes"),
    # --- splitting and merging
    Mistake(
        "split-without-transpose",
        "The projections were viewed as (b, heads, s, head_dim) at once, which puts parts of several tokens into one head. "
        "View as (b, s, heads, head_dim), then swap dimensions 1 and 2.",
        caught_by=MAIN,
        edits=[
            (SPLIT_Q, "view(b, self.nums_head, s, self.head_dim)"),
            (SPLIT_KV, "view(b, self.nums_key_value_head, s, self.head_dim)"),
        ],
        everywhere=True,
    ),
    Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head. "
        "View as (b, s, heads, head_dim), swap dimensions 1 and 2, and undo both in the reverse order.",
        caught_by=MAIN,
        edits=[
            (SPLIT_Q, "view(b, self.nums_head, s, self.head_dim)"),
            (SPLIT_KV, "view(b, self.nums_key_value_head, s, self.head_dim)"),
            (".transpose(1, 2).reshape(", ".reshape("),
        ],
        everywhere=True,
    ),
    Mistake(
        "split-interleaved",
        "Each head took columns that lie apart (0, heads, 2 · heads, …). A head is a run of neighbouring columns: view(b, s, heads, head_dim).",
        caught_by=MAIN,
        edits=[
            (SPLIT_Q, "view(b, s, self.head_dim, self.nums_head).permute(0, 3, 1, 2)"),
            (SPLIT_KV, "view(b, s, self.head_dim, self.nums_key_value_head).permute(0, 3, 1, 2)"),
        ],
        everywhere=True,
    ),
    from_family("heads", "merge-without-transpose", "merge-interleaved"),
    Mistake(
        "view-after-transpose",
        "view cannot join dimensions after a transpose. Use reshape, or contiguous() before the view.",
        caught_by=MAIN,
        edits=[(MERGE, "(weights @ v).transpose(1, 2).view(b, s, hidden_dim)")],
    ),
    # --- no attention at all
    Mistake(
        "only-the-queries",
        "There is no attention: the queries went straight to o_proj. Scores, softmax and values are missing.",
        caught_by=MAIN,
        edits=[(END, "return self.o_proj(self.q_proj(X))")],
    ),
    Mistake(
        "own-value-only",
        "There is no attention: each token got only its own value. The values of all tokens must be mixed, with the weights.",
        caught_by=MAIN,
        edits=[(CONTEXT, CONTEXT.replace("(weights @ v)", "v"))],
    ),
    Mistake(
        "values-averaged",
        "Every token got the plain average of all values. The values are mixed with the weights of softmax(q · kᵀ / √head_dim).",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(0 * scores, dim=-1)")],
    ),
    Mistake(
        "values-summed",
        "Every token got the plain sum of all values. The values are mixed with the weights of softmax(q · kᵀ / √head_dim).",
        caught_by=MAIN,
        edits=[(SOFTMAX, "torch.ones_like(scores)")],
    ),
    Mistake(
        "largest-score-only",
        "Each token got only the value of the key with the largest score. Softmax gives every key a weight.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.one_hot(scores.argmax(-1), s).to(v.dtype)")],
    ),
    from_family("layers", "input-returned"),
    Mistake(
        "input-projected",
        "There is no attention: X went straight to o_proj. Scores, softmax and values are missing.",
        caught_by=MAIN,
        edits=[(END, "return self.o_proj(X)")],
    ),
    from_family("layers", "residual-added"),
    Mistake(
        "projections-unused",
        "X itself was used as query, key and value. They are q_proj(X), k_proj(X) and v_proj(X), split into heads.",
        caught_by=MAIN,
        edits=[(END, "return self.o_proj(F.softmax(X @ X.mT / hidden_dim**0.5, dim=-1) @ X)")],
    ),
    from_family("layers", "zeros", "weights-returned", "weights-returned-too"),
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
        caught_by=MAIN,
        edits=[("assert nums_head % nums_key_value_head == 0", "assert nums_key_value_head % nums_head == 0")],
    ),
    Mistake(
        "key-width-checked-instead",
        "The second check asks whether hidden_dim is divisible by nums_key_value_head. It is nums_head that must be.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[("assert nums_head % nums_key_value_head == 0", "assert hidden_dim % nums_key_value_head == 0")],
    ),
    from_family("softmax", "output-detached"),
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
    from_family("layers", "input-overwritten"),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    # --- met in other people's code
    from_family("layers", "output-layer-without-a-bias"),
    # --- one layer for another, and what becomes of the result
    from_family(
        "head_projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
        "keys-from-the-query-layer",
        "values-from-the-query-layer",
        "queries-and-values-exchanged",
        "one-layer-for-all",
        "queries-split-without-transpose",
        "keys-split-without-transpose",
        "values-split-without-transpose",
        "queries-detached",
        "keys-detached",
        "values-detached",
        "output-layer-twice",
    ),
    from_family(
        "softmax",
        "softmax-twice",
        "not-divided-after-the-maximum",
        "divided-by-sums-over-queries",
        "log-softmax",
        "sigmoid",
        "weights-transposed",
    ),
    from_family(
        "returned",
        "squeezed",
        "squeezed-in-front",
        "float32-only",
        "last-token-only",
        "first-sequence-only",
        "batch-and-tokens-joined",
        "averaged-over-the-tokens",
        "first-token-only",
        "tokens-and-width-joined",
        "tokens-and-width-exchanged",
        "batch-and-tokens-exchanged",
        "summed-over-the-tokens",
    ),
    from_family("heads", "keys-not-turned"),
]
