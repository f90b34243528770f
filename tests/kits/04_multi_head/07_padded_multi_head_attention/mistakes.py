from families import dropout, head_projections, heads, kept, layers, results, scale, softmax, too_weak
from families.some_of import without

from grader.judge.authoring import Mistake

MASK = "test_padding_is_hidden"
DROPOUT = "test_dropout_acts_in_training_only"
ON_WEIGHTS = "test_dropout_acts_on_the_weights"
PRINTS = "test_nothing_is_printed"
INPUTS = "test_inputs_are_left_alone"
SOFTMAX = "F.softmax(scores, dim=-1)"
WEIGHTS = "weights = " + SOFTMAX
ROOT = "self.head_dim**0.5"
PADDING = "padding = attention_mask[:, None, None, :] == 0"
AXES_OF_KEYS = "[:, None, None, :]"
HIDE = "scores = scores.masked_fill(padding, -torch.inf)"
DROP = "weights = self.att_dropout(weights)"
CONTEXT = "(weights @ v).transpose(1, 2).reshape(b, s, hidden_dim)"
END = "return self.o_proj(context)"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'
O_LAYER = "        self.o_proj = nn.Linear(hidden_dim, hidden_dim)\n"
NEXT = "\n        "
IF_MASKED = "\n        if attention_mask is not None:\n            "
SHAPE = "b, s, hidden_dim = X.shape"

# The bank's own files run inside the grader, where only what a check looks at may be printed.
QUIET = """
import builtins
import io
import sys


def print(*values):
    if isinstance(sys.stdout, io.StringIO):
        builtins.print(*values)


"""
IMPORT = "import torch\n"
PRINTABLE = (IMPORT, QUIET + IMPORT)

TYPE = "print(type(attention_mask))"

DIVIDES_NOT = (DIVIDES, "")
NO_DROPOUT_PASSED = (", dropout: float = 0.1", ""), ("nn.Dropout(dropout)", "nn.Dropout(0.1)")


def document_copied(name, *edits):
    """The document's class, with other edits."""
    return Mistake(
        name,
        "The document's class does not fit here as it is: its mask must already have the shape of the scores, where ours is "
        "(batch, tokens). Look also at its prints, its fixed dropout, and the sizes that it does not check.",
        caught_by=MASK,
        edits=[
            PRINTABLE,
            (AXES_OF_KEYS, ""),
            (HIDE, HIDE.replace("-torch.inf", "-1e20")),
            ("        if attention_mask is not None:", f"        {TYPE}\n        if attention_mask is not None:"),
            (WEIGHTS, f"{WEIGHTS}{NEXT}print(weights)"),
            *edits,
        ],
        same_as="" if name == "document-copied" else "document-copied",
    )


MISTAKES = [
    # --- the scale
    *scale.mistakes(root=ROOT, tokens="s"),
    *scale.half_outside_the_power(root=ROOT, width="self.head_dim"),
    scale.scale_of_the_model(root=ROOT),
    *scale.scale_of_heads(root=ROOT, heads="nums_head"),
    # --- the mask
    Mistake(
        "mask-ignored",
        "attention_mask makes no difference. Where it is 0, the key is padding: hide its scores before the softmax. masked_fill returns a new "
        "tensor: keep it, or use masked_fill_.",
        caught_by=MASK,
        edits=[(HIDE, "pass")],
    ),
    *[
        Mistake(
            f"mask-without-axes{joined}",
            "The mask of (batch, tokens) was laid on the scores of (batch, heads, queries, keys) as it is, so batch meets queries: an error, "
            "or silently wrong with as many sequences as tokens. Give it two axes in the middle: [:, None, None, :].",
            caught_by=MASK,
            edits=[(AXES_OF_KEYS, ""), ("reshape(b, s, hidden_dim)", f"reshape(b, s, {width})")],
        )
        for joined, width in (("", "hidden_dim"), ("-any-width", "-1"))  # then one token ends in another error
    ],
    Mistake(
        "mask-on-the-heads-axis",
        "The mask got one new axis only, so its batch axis meets the heads. It needs two: (batch, 1, 1, keys).",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:, None, :]")],
    ),
    Mistake(
        "mask-of-the-first-sequence",
        "The first sequence's mask was used for all. Each sequence of the batch has its own padding.",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:1, None, None, :]")],
    ),
    Mistake(
        "queries-masked",
        "The mask lies along the queries (rows), so the whole row of a padded token is hidden, and all others still see the padding. It "
        "belongs along the keys, the last axis.",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:, None, :, None]")],
    ),
    Mistake(
        "queries-masked-finite",
        "The mask lies along the queries (rows): padded tokens get the plain average, and all others still see the padding. "
        "It belongs along the keys, the last axis.",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:, None, :, None]"), (HIDE, HIDE.replace("-torch.inf", "-1e9"))],
    ),
    Mistake(
        "queries-and-keys-masked",
        "Padded queries were hidden as well as padded keys, so their rows are hidden as a whole, which gives NaN. Only keys are hidden.",
        caught_by=MASK,
        edits=[
            (PADDING, "padding = (attention_mask[:, None, None, :] == 0) | (attention_mask[:, None, :, None] == 0)")
        ],
    ),
    *[
        Mistake(
            f"mask-inverted{kind}",
            "The mask was read the wrong way round. In it 0 is padding and is hidden, everything else is a real token and is seen.",
            caught_by=MASK,
            edits=[("None, :] == 0", "None, :] != 0"), (HIDE, HIDE.replace("-torch.inf", fill))],
        )
        for kind, fill in (("", "-torch.inf"), ("-finite", "-1e9"))
    ],
    Mistake(
        "mask-inverted-fused",
        "The mask was read the wrong way round. scaled_dot_product_attention takes a boolean mask in which True means: this key may be seen.",
        caught_by=MASK,
        edits=[
            (
                "context = " + CONTEXT,
                f"seen = None if attention_mask is None else padding{NEXT}"
                f"p = self.att_dropout.p if self.training else 0.0{NEXT}"
                f"mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p){NEXT}"
                "context = mixed.transpose(1, 2).reshape(b, s, hidden_dim)",
            )
        ],
    ),
    Mistake(
        "inverted-bitwise",
        "`~` inverts the bits of whole numbers, so ~1 is -2, and that is True as well: everything is hidden. Compare with 0, or make "
        "the mask bool first.",
        caught_by=MASK,
        edits=[(PADDING, "padding = (~attention_mask[:, None, None, :]).bool()")],
    ),
    Mistake(
        "filled-with-zero",
        "Padded scores became 0 (filled in, or multiplied by the mask), and exp(0) is 1, so padding still gets weight. Fill in -inf, or "
        "a number far below every score.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores.masked_fill(padding, 0.0)")],
    ),
    Mistake(
        "fill-too-small",
        "Padded scores were filled with a number that is not far enough below the others, so padding keeps some weight. Use -inf or -1e9.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores.masked_fill(padding, -10.0)")],
    ),
    Mistake(
        "mask-added",
        "The mask itself (0 and 1) was added to the scores. What is added must be 0 for real tokens and far below every score for padding.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores + attention_mask[:, None, None, :]")],
    ),
    Mistake(
        "infinity-times-zero",
        "The mask was multiplied by -inf, and 0 · (-inf) is NaN. Use masked_fill or torch.where, or a finite number such as -1e9.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores + padding * -torch.inf")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask was applied after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
        caught_by=MASK,
        edits=[
            (HIDE, "pass"),
            (WEIGHTS, f"{WEIGHTS}{IF_MASKED}weights = weights.masked_fill(padding, 0.0)"),
        ],
    ),
    Mistake(
        "infinity-after-softmax",
        "The weights were filled with -inf or -1e20, after the softmax. Hide the scores, before it.",
        caught_by=MASK,
        edits=[
            (HIDE, "pass"),
            (WEIGHTS, f"{WEIGHTS}{IF_MASKED}weights = weights.masked_fill(padding, -torch.inf)"),
        ],
    ),
    Mistake(
        "padding-zeroed-in-x",
        "Padded tokens were set to 0 in X. Their keys are then the layer's bias alone, and the softmax still gives them weight. Hide "
        "their scores instead.",
        caught_by=MASK,
        edits=[
            (SHAPE, f"{SHAPE}{IF_MASKED}X = X * attention_mask[:, :, None]"),
            (HIDE, "pass"),
        ],
    ),
    Mistake(
        "padded-outputs-zeroed",
        "The outputs of padded tokens were set to 0. They count too: a padded token asks like any other, it is only never looked at.",
        caught_by=MASK,
        edits=[
            (
                END,
                f"output = self.o_proj(context){NEXT}"
                "return output if attention_mask is None else output * (attention_mask[:, :, None] != 0)",
            )
        ],
    ),
    Mistake(
        "causal",
        "Later tokens are hidden. Only padding is hidden in this exercise: every token sees every real token.",
        edits=[(SOFTMAX, "F.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1)")],
    ),
    Mistake(
        "mask-required",
        "The module cannot be called without a mask. Give attention_mask the default None, and ask `if attention_mask is not None` before you use it.",
        edits=[("attention_mask: torch.Tensor | None = None", "attention_mask: torch.Tensor")],
    ),
    Mistake(
        "mask-asked-for-its-truth",
        "`if attention_mask` asks a whole tensor whether it is true, and that has no answer. Ask `if attention_mask is not None`.",
        caught_by=MASK,
        edits=[("if attention_mask is not None:", "if attention_mask:")],
    ),
    Mistake(
        "turned-round-as-it-came",
        "A mask of whole numbers or floats can't be inverted with `~`, and masked_fill takes booleans only. `attention_mask == 0` works "
        "for all kinds.",
        caught_by=MASK,
        edits=[(PADDING, "padding = ~attention_mask[:, None, None, :]")],
    ),
    Mistake(
        "only-boolean-masks",
        "A mask of whole numbers or floats can't be inverted with `~` or `logical` operators. `attention_mask == 0` works for all kinds.",
        caught_by="test_mask_of_any_kind",
        edits=[
            (
                PADDING,
                "padding = ~attention_mask[:, None, None, :] if attention_mask.dtype != torch.int64 else "
                + PADDING.removeprefix("padding = "),
            )
        ],
    ),
    Mistake(
        "only-masks-of-numbers",
        "A boolean mask can't be subtracted from 1. `attention_mask == 0` works for all kinds.",
        caught_by="test_mask_of_any_kind",
        edits=[(HIDE, "scores = scores + (1 - attention_mask[:, None, None, :]) * -1e9")],
    ),
    # --- splitting and merging
    *heads.split(heads="nums_head", heads_axis="nums_head", tokens="s"),
    heads.split_and_merge(heads="nums_head", heads_axis="nums_head", tokens="s"),
    heads.merge_without_transpose(joined="b, s, hidden_dim"),
    *heads.joined_otherwise(projected="self.v_proj(X).view(in_heads)", joined="b, s, hidden_dim"),
    heads.merge_interleaved(joined="b, s, hidden_dim", heads_axis="nums_head", tokens="s"),
    heads.view_after_transpose(joined="b, s, hidden_dim"),
    *heads.keys_turned(),
    heads.keys_reversed(),
    heads.one_head("heads-ignored", heads="nums_head", model="hidden_dim"),
    # --- the layers
    Mistake(
        "no-output-layer",
        "There is no o_proj. The joined heads go through one more nn.Linear(hidden_dim, hidden_dim).",
        edits=[(O_LAYER, ""), (END, "return context")],
    ),
    layers.output_layer_unused(end=END, out="o_proj"),
    *layers.biases(model="hidden_dim"),
    *layers.keys_and_values(x="X"),
    Mistake(
        "values-as-keys",
        "The queries were compared with the values. They are compared with the keys, k_proj(X).",
        edits=[("k = self.k_proj(X)", "k = self.v_proj(X)")],
    ),
    layers.queries_and_keys(),
    Mistake(
        "queries-as-keys",
        "The queries were compared with themselves. They are compared with the keys, k_proj(X).",
        edits=[("k = self.k_proj(X)", "k = self.q_proj(X)")],
    ),
    *without(
        layers.output_layer(end=END, out="o_proj", model="hidden_dim", x="X"),
        "no-output-layer",
        "output-layer-unused",
    ),
    layers.own_value_only(end=END, values_alone="self.o_proj(self.v_proj(X))"),
    # --- the softmax
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
        edits=[(HIDE, "scores = scores.masked_fill(padding, 0.0)"), (SOFTMAX, "scores")],
    ),
    softmax.no_softmax_of_infinite_scores(),
    *softmax.another_axis(query_axis="2"),
    softmax.over_the_heads(),
    softmax.another_sum(),
    Mistake(
        "divided-by-the-mean-of-the-visible",
        "The weights of a row sum to the number of keys that are not padding, not to 1: the exps were divided by their mean. Divide them by "
        "their sum.",
        edits=[(SOFTMAX, f"{SOFTMAX} * (scores > -torch.inf).sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "weights-stay-float32",
        "With float64 numbers the weights are float32 and the values are not. After a softmax in float32 go back: .type_as(v).",
        edits=[(SOFTMAX, "F.softmax(scores.float(), dim=-1)")],
    ),
    # --- the dropout
    *dropout.other_dropout(
        layer="self.att_dropout",
        acts=DROPOUT,
        on_output=DROPOUT,
        end=END,
        returned="self.o_proj(context)",
        hide=WEIGHTS,
    ),
    Mistake(
        "other-default",
        "Without a `dropout` argument another probability than 0.1 is used. Write dropout=0.1 into the signature of `__init__`.",
        caught_by="test_dropout_is_a_tenth_by_default",
        edits=[("dropout: float = 0.1", "dropout: float = 0.5")],
    ),
    *dropout.mistakes(layer="self.att_dropout", acts=DROPOUT, on_weights=ON_WEIGHTS, values="v"),
    Mistake(
        "dropout-on-context",
        "Dropout was applied to the joined heads. It belongs on the weights, between the softmax and the values.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP + "\n", "\n"), (END, "return self.o_proj(self.att_dropout(context))")],
    ),
    *dropout.own_dropout(
        layer="self.att_dropout", acts=DROPOUT, on_weights=ON_WEIGHTS, rows="heads", wrong_layer="Dropout2d"
    ),
    # --- the rest
    Mistake(
        "sizes-not-checked",
        "A hidden_dim that nums_head does not divide is accepted, as in the document. Refuse it in `__init__`, with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "refused-with-another-error",
        "A hidden_dim that nums_head does not divide is refused, but with another kind of error. Use assert, or raise ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[
            (
                DIVIDES,
                "        if hidden_dim % nums_head != 0:\n            raise RuntimeError('hidden_dim must be divisible by nums_head')\n",
            )
        ],
    ),
    *layers.returned_instead(
        end=END,
        x="X",
        missing="Three steps are missing: weights · v, joining the heads, o_proj.",
        inputs_check=INPUTS,
    ),
    softmax.output_detached(),
    Mistake(
        "mask-overwritten",
        "The mask was changed in place. The caller still needs it: work on a copy.",
        caught_by=INPUTS,
        edits=[(HIDE, HIDE + "\n            attention_mask.logical_not_()")],
    ),
    # --- the document's class
    document_copied("document-copied", DIVIDES_NOT, *NO_DROPOUT_PASSED),
    document_copied("document-copied-with-dropout", DIVIDES_NOT),
    document_copied("document-copied-with-dropout-and-check"),
    document_copied("document-copied-with-check", *NO_DROPOUT_PASSED),
    # --- prints left in
    Mistake(
        "prints-left-in",
        "Everything is right, but there are still print calls, as in the document's class. Take them out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, f"{TYPE}{NEXT}{WEIGHTS}{NEXT}print(weights)")],
    ),
    kept.in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    too_weak.mistake(
        fill=HIDE, weak_fill="scores = scores.masked_fill(padding, -100.0)", loud="test_padding_has_no_say"
    ),
    # --- one layer for another, and what becomes of the result
    *without(
        head_projections.mistakes(queries="self.q_proj(X)", keys="self.k_proj(X)", values="self.v_proj(X)"),
        "keys-from-the-query-layer",
    ),
    *softmax.another_function(),
    *results.rows_of_tokens("self.o_proj(context)"),
    results.returned("float32-only", "self.o_proj(context)"),
    Mistake(
        "filled-with-plus-infinity",
        "Where there is padding, all is NaN, as when padded scores are filled with +inf. Fill them with minus infinity: -torch.inf.",
        caught_by=MASK,
        edits=[(HIDE, HIDE.replace("-torch", "torch"))],
    ),
]
