from grader.judge.authoring import Mistake, from_family, kept_in_evaluation

MAIN = "test_agrees_with_formula_without_a_mask"
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
LAYER = "nn.Linear(hidden_dim, hidden_dim)"
O_LAYER = "        self.o_proj = nn.Linear(hidden_dim, hidden_dim)\n"
NEXT = "\n        "
IN_IF = "\n            "

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

DOCUMENTS_CLASS = """
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        self.nums_head = nums_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(0.1)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.size()
        q = self.q_proj(X).view(b, s, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k = self.k_proj(X).view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        v = self.v_proj(X).view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        print(type(attention_mask))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-1e20"))
        weights = torch.softmax(scores, dim=3)
        print(weights)
        weights = self.att_dropout(weights)
        context = (weights @ v).transpose(1, 2).contiguous()
        return self.o_proj(context.view(b, s, -1))
"""
TAKES_DROPOUT = ("nums_head):", "nums_head, dropout=0.1):"), ("nn.Dropout(0.1)", "nn.Dropout(dropout)")
CHECKS_SIZES = ("super().__init__()", "super().__init__()" + NEXT + "assert hidden_dim % nums_head == 0")


def documents_class(*edits):
    text = QUIET + DOCUMENTS_CLASS
    for old, new in edits:
        text = text.replace(old, new)
    return text


def document_copied(name, *edits):
    return Mistake(
        name,
        "The document's class does not fit here as it is: its mask must already have the shape of the scores, where ours is "
        "(batch, tokens). Look also at its prints, its fixed dropout, and the sizes that it does not check.",
        caught_by=MASK,
        source=documents_class(*edits),
        same_as="" if name == "document-copied" else "document-copied",
    )


WORDS = {
    "main": MAIN,
    "root": ROOT,
    "width": "head_dim",
    "compared": "one head",
    "tokens": "s",
    "heads": "nums_head",
    "heads_axis": "nums_head",
    "viewed": "The projections were",
    "queries": "q",
    "keys": "k",
    "averaged": "the values",
    "query_axis": "2",
    "x": "X",
    "values": "v",
    "to_keys": "k_proj",
    "to_values": "v_proj",
    "last_two": "2, 3",
    "end": END,
    "other": "other",
    "values_alone": "self.o_proj(self.v_proj(X))",
    "missing": "Three steps are missing: weights · v, joining the heads, o_proj.",
    "inputs_check": INPUTS,
    "layer": "self.att_dropout",
    "acts": DROPOUT,
    "on_weights": ON_WEIGHTS,
    "hide": HIDE,
    "rows": "heads",
    "wrong_layer": "Dropout2d",
    "model": "hidden_dim",
    "joined": "b, s, hidden_dim",
    "out": "o_proj",
    "zeros": "X",
    "fill": HIDE,
    "weak_fill": "scores = scores.masked_fill(padding, -100.0)",
    "taken_off": "scores = scores - 100.0 * padding",
    "loud": "test_padding_has_no_say",
    "asks": "self.q_proj(X)",
    "answers": "self.k_proj(X)",
    "mixed": "self.v_proj(X)",
    "result": "self.o_proj(context)",
    "single": MAIN,
    "double": MAIN,
    "q": "q",
    "v": "v",
    "split_q": ".view(in_heads).transpose(1, 2)",
    "unsplit_q": ".view(b, self.nums_head, s, self.head_dim)",
    "split": ".view(in_heads).transpose(1, 2)",
    "unsplit": ".view(b, self.nums_head, s, self.head_dim)",
    "last": "o_proj",
}

MISTAKES = [
    # --- the scale
    from_family("scale", "no-scale"),
    Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim = hidden_dim / nums_head, so it is √head_dim.",
        caught_by=MAIN,
        edits=[(ROOT, "hidden_dim**0.5")],
    ),
    from_family(
        "scale",
        "scale-from-heads",
        "scale-from-tokens",
        "divided-by-head-dim",
        "scale-upside-down",
        "scaled-after-softmax",
    ),
    # --- the mask
    Mistake(
        "mask-ignored",
        "attention_mask makes no difference. Where it is 0, the key is padding: hide its scores before the softmax.",
        caught_by=MASK,
        edits=[(HIDE, "pass")],
    ),
    Mistake(
        "mask-without-axes",
        "The mask of (batch, tokens) was laid on the scores of (batch, heads, queries, keys) as it is, so batch meets queries: an error, "
        "or silently wrong with as many sequences as tokens. Give it two axes in the middle: [:, None, None, :].",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "")],
    ),
    Mistake(
        "mask-without-axes-and-any-width",
        "The mask of (batch, tokens) was laid on the scores of (batch, heads, queries, keys) as it is, so batch meets queries: an error, "
        "or silently wrong with as many sequences as tokens. Give it two axes in the middle: [:, None, None, :].",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, ""), (".reshape(b, s, hidden_dim)", ".reshape(b, s, -1)")],
        same_as="mask-without-axes",
    ),
    Mistake(
        "mask-only-in-eval",
        "In training the padding is seen. It is hidden in training as well as in eval(): the mask has nothing to do with the mode.",
        caught_by="test_padding_has_no_say",
        edits=[(HIDE, HIDE + " if not self.training else scores")],
    ),
    Mistake(
        "mask-on-the-heads-axis",
        "The mask got one new axis only, so its batch axis meets the heads. It needs two: (batch, 1, 1, keys).",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:, None, :]")],
    ),
    Mistake(
        "batch-of-the-mask-on-the-heads",
        "The two new axes are in the wrong places, so the mask's batch axis meets the heads. It is (batch, 1, 1, keys).",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[None, :, None, :]")],
        same_as="mask-on-the-heads-axis",
    ),
    Mistake(
        "mask-in-front",
        "The two new axes were put in front, so the mask's batch axis meets the queries. It is (batch, 1, 1, keys).",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[None, None, :, :]")],
        same_as="mask-without-axes",
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
        "queries-masked-additive",
        "What is added to the scores lies along the queries (rows), so it is the same for all keys of a row and hides none of them. The "
        "mask belongs along the keys, the last axis.",
        caught_by=MASK,
        edits=[(AXES_OF_KEYS, "[:, None, :, None]"), (HIDE, "scores = scores + padding * -1e9")],
    ),
    Mistake(
        "queries-and-keys-masked",
        "Padded queries were hidden as well as padded keys, so their rows are hidden as a whole, which gives NaN. Only keys are hidden.",
        caught_by=MASK,
        edits=[
            (
                PADDING,
                f"{PADDING} | (attention_mask[:, None, :, None] == 0)".replace("padding = ", "padding = (", 1).replace(
                    " |", ") |"
                ),
            )
        ],
    ),
    Mistake(
        "queries-and-keys-masked-finite",
        "Padded queries were hidden as well as padded keys, so padded tokens get the plain average of all. Only keys are hidden.",
        caught_by=MASK,
        edits=[
            (PADDING, "padding = (attention_mask[:, None, None, :] * attention_mask[:, None, :, None]) == 0"),
            (HIDE, HIDE.replace("-torch.inf", "-1e9")),
        ],
    ),
    Mistake(
        "mask-inverted",
        "The mask was read the wrong way round. In it 0 is padding and is hidden, everything else is a real token and is seen.",
        caught_by=MASK,
        edits=[("None, :] == 0", "None, :] != 0")],
    ),
    Mistake(
        "mask-inverted-finite",
        "The mask was read the wrong way round. In it 0 is padding and is hidden, everything else is a real token and is seen.",
        caught_by=MASK,
        edits=[("None, :] == 0", "None, :] != 0"), (HIDE, HIDE.replace("-torch.inf", "-1e9"))],
    ),
    Mistake(
        "mask-inverted-fused",
        "The mask was read the wrong way round. scaled_dot_product_attention takes a boolean mask in which True means: this key may be seen.",
        caught_by=MASK,
        edits=[
            (
                "context = " + CONTEXT,
                "seen = None if attention_mask is None else padding"
                + NEXT
                + "p = self.att_dropout.p if self.training else 0.0"
                + NEXT
                + "mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p)"
                + NEXT
                + "context = mixed.transpose(1, 2).reshape(b, s, hidden_dim)",
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
        "inverted-bitwise-finite",
        "`~` inverts the bits of whole numbers, so ~1 is -2, and that is True as well: everything is hidden alike. Compare with 0, or "
        "make the mask bool first.",
        caught_by=MASK,
        edits=[
            (PADDING, "padding = (~attention_mask[:, None, None, :].long()).bool()"),
            (HIDE, HIDE.replace("-torch.inf", "-1e9")),
        ],
    ),
    Mistake(
        "filled-with-zero",
        "Padded scores became 0 (filled in, or multiplied by the mask), and exp(0) is 1, so padding still gets weight. Fill in -inf, or "
        "a number far below every score.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores.masked_fill(padding, 0.0)")],
    ),
    Mistake(
        "mask-multiplied",
        "The scores were multiplied by the mask, so padded scores are 0, and exp(0) is 1: padding still gets weight. Fill in -inf, or a "
        "number far below every score.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores * attention_mask[:, None, None, :]")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "filled-with-next-to-zero",
        "Padded scores were filled with a number very near 0, such as 1e-9, and exp() of that is 1. Fill in a very negative number "
        "(-1e9), or -inf.",
        caught_by=MASK,
        edits=[(HIDE, "scores = scores.masked_fill(padding, 1e-9)")],
        same_as="filled-with-zero",
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
            (
                WEIGHTS,
                WEIGHTS
                + NEXT
                + "if attention_mask is not None:"
                + IN_IF
                + "weights = weights.masked_fill(padding, 0.0)",
            ),
        ],
    ),
    Mistake(
        "infinity-after-softmax",
        "The weights were filled with -inf or -1e20, after the softmax. Hide the scores, before it.",
        caught_by=MASK,
        edits=[
            (HIDE, "pass"),
            (
                WEIGHTS,
                WEIGHTS
                + NEXT
                + "if attention_mask is not None:"
                + IN_IF
                + "weights = weights.masked_fill(padding, -torch.inf)",
            ),
        ],
    ),
    Mistake(
        "values-masked-only",
        "Padded values were set to 0, but padded keys still take their share of the weights. Hide their scores before the softmax.",
        caught_by=MASK,
        edits=[(HIDE, "v = v.masked_fill(padding.transpose(2, 3), 0.0)")],
        same_as="mask-after-softmax",
    ),
    Mistake(
        "keys-zeroed",
        "Padded keys were set to 0. Their scores are then 0, and exp(0) is 1: they still get weight. Hide the scores.",
        caught_by=MASK,
        edits=[
            (PADDING, "hidden = attention_mask[:, None, :, None] == 0"),
            (HIDE, "scores = q @ k.masked_fill(hidden, 0.0).transpose(2, 3) / self.head_dim**0.5"),
        ],
        same_as="filled-with-zero",
    ),
    Mistake(
        "padding-zeroed-in-x",
        "Padded tokens were set to 0 in X. Their keys are then the layer's bias alone, and the softmax still gives them weight. Hide "
        "their scores instead.",
        caught_by=MASK,
        edits=[
            (
                "b, s, hidden_dim = X.shape",
                "b, s, hidden_dim = X.shape"
                + NEXT
                + "if attention_mask is not None:"
                + IN_IF
                + "X = X * attention_mask[:, :, None]",
            ),
            (HIDE, "pass"),
        ],
    ),
    Mistake(
        "padding-zeroed-in-x-too",
        "Padded tokens were set to 0 in X. Their keys are hidden, so that is not needed, and it changes the queries, and so the "
        "outputs, of padded tokens.",
        caught_by=MASK,
        edits=[
            (
                "b, s, hidden_dim = X.shape",
                "b, s, hidden_dim = X.shape"
                + NEXT
                + "if attention_mask is not None:"
                + IN_IF
                + "X = X * (attention_mask[:, :, None] != 0)",
            )
        ],
    ),
    Mistake(
        "padded-outputs-zeroed",
        "The outputs of padded tokens were set to 0. They count too: a padded token asks like any other, it is only never looked at.",
        caught_by=MASK,
        edits=[
            (
                END,
                "output = self.o_proj(context)"
                + NEXT
                + "return output if attention_mask is None else output * (attention_mask[:, :, None] != 0)",
            )
        ],
    ),
    Mistake(
        "padded-rows-zeroed",
        "The weights of padded queries were set to 0. Their outputs count too: a padded token asks like any other, it is only never looked at.",
        caught_by=MASK,
        edits=[
            (
                WEIGHTS,
                WEIGHTS
                + NEXT
                + "if attention_mask is not None:"
                + IN_IF
                + "weights = weights * (attention_mask[:, None, :, None] != 0)",
            )
        ],
    ),
    Mistake(
        "padding-cut-off",
        "The padding was hidden as if it were always behind the tokens. It may also be in front or in between: look at each place of the mask.",
        caught_by=MASK,
        edits=[
            (
                PADDING,
                "real = (attention_mask != 0).sum(1)"
                + IN_IF
                + "padding = (torch.arange(s) >= real[:, None])[:, None, None, :]",
            )
        ],
    ),
    Mistake(
        "causal",
        "Later tokens are hidden. Only padding is hidden in this exercise: every token sees every real token.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1)")],
    ),
    Mistake(
        "mask-required",
        "The module cannot be called without a mask. Give attention_mask the default None, and ask `if attention_mask is not None` before you use it.",
        caught_by=MAIN,
        edits=[("attention_mask: torch.Tensor | None = None", "attention_mask: torch.Tensor")],
    ),
    Mistake(
        "none-not-handled",
        "Without a mask attention_mask is None, and None has no shape and no numbers. Ask `if attention_mask is not None`.",
        caught_by=MAIN,
        edits=[("if attention_mask is not None:", "if True:")],
        same_as="mask-required",
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
    from_family(
        "heads",
        "split-without-transpose",
        "split-and-merged-without-transpose",
        "split-interleaved",
        "split-and-merged-interleaved",
        "heads-attend-to-heads",
        "merge-without-transpose",
        "merge-interleaved",
        "view-after-transpose",
        "keys-wrong-axes",
        "keys-all-axes-reversed",
        "heads-ignored",
    ),
    # --- the layers
    Mistake(
        "no-output-layer",
        "There is no o_proj. The joined heads go through one more nn.Linear(hidden_dim, hidden_dim).",
        caught_by=MAIN,
        edits=[(O_LAYER, ""), (END, "return context")],
    ),
    from_family("layers", "output-layer-unused"),
    Mistake(
        "output-layer-under-another-name",
        "The last layer is not called o_proj. The four names are q_proj, k_proj, v_proj and o_proj.",
        caught_by=MAIN,
        edits=[("self.o_proj", "self.out_proj")],
        everywhere=True,
        same_as="no-output-layer",
    ),
    from_family("layers", "no-bias"),
    Mistake(
        "one-head-wide",
        "The projections put out head_dim numbers, enough for a single head. They put out hidden_dim, and that is split into heads.",
        caught_by=MAIN,
        edits=[
            (f"self.{name}_proj = {LAYER}", f"self.{name}_proj = nn.Linear(hidden_dim, self.head_dim)")
            for name in "qkv"
        ],
    ),
    from_family("layers", "keys-as-values"),
    Mistake(
        "values-as-keys",
        "The queries were compared with the values. They are compared with the keys, k_proj(X).",
        caught_by=MAIN,
        edits=[("k = self.k_proj(X)", "k = self.v_proj(X)")],
    ),
    from_family("layers", "keys-and-values-swapped", "queries-and-keys-swapped"),
    Mistake(
        "queries-as-keys",
        "The queries were compared with themselves. They are compared with the keys, k_proj(X).",
        caught_by=MAIN,
        edits=[("k = self.k_proj(X)", "k = self.q_proj(X)")],
    ),
    from_family("layers", "residual-added", "own-value-only"),
    from_family("scale", "weights-all-alike"),
    from_family("layers", "input-returned", "zeros"),
    # --- the softmax
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by=MAIN,
        edits=[(HIDE, "scores = scores.masked_fill(padding, 0.0)"), (SOFTMAX, "scores")],
    ),
    from_family("softmax", "no-softmax-infinite", "softmax-over-queries", "softmax-over-heads", "softmax-over-batch"),
    from_family("softmax", "divided-by-the-mean"),
    Mistake(
        "divided-by-the-mean-of-the-visible",
        "The weights of a row sum to the number of keys that are not padding, not to 1: the exps were divided by their mean. Divide them by "
        "their sum.",
        caught_by=MAIN,
        edits=[(SOFTMAX, f"{SOFTMAX} * (scores > -torch.inf).sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "weights-stay-float32",
        "With float64 numbers the weights are float32 and the values are not. After a softmax in float32 go back: .type_as(v).",
        caught_by=MAIN,
        edits=[(SOFTMAX, "F.softmax(scores.float(), dim=-1)")],
    ),
    # --- the dropout
    Mistake(
        "dropout-fixed",
        "The dropout is always 0.1, as in the document. Use the `dropout` that was passed in.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
    ),
    Mistake(
        "dropout-of-a-half",
        "The dropout is always 0.5, the default of nn.Dropout(). Use the `dropout` that was passed in.",
        caught_by=DROPOUT,
        edits=[("nn.Dropout(dropout)", "nn.Dropout()")],
    ),
    Mistake(
        "no-dropout",
        "`dropout` is not used: nothing is dropped in training. Apply nn.Dropout(dropout) to the weights.",
        caught_by=DROPOUT,
        edits=[(DROP + "\n", "\n")],
    ),
    Mistake(
        "no-dropout-argument",
        "The class does not take `dropout`. Its arguments are hidden_dim, nums_head and dropout=0.1.",
        caught_by=DROPOUT,
        edits=[(", dropout: float = 0.1", ""), ("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
    ),
    Mistake(
        "other-default",
        "Without a `dropout` argument another probability than 0.1 is used. Write dropout=0.1 into the signature of `__init__`.",
        caught_by="test_dropout_is_a_tenth_by_default",
        edits=[("dropout: float = 0.1", "dropout: float = 0.5")],
    ),
    Mistake(
        "no-dropout-by-default",
        "Without a `dropout` argument nothing is dropped. Write dropout=0.1 into the signature of `__init__`.",
        caught_by="test_dropout_is_a_tenth_by_default",
        edits=[("dropout: float = 0.1", "dropout: float = 0.0")],
    ),
    from_family("dropout", "dropout-in-eval"),
    Mistake(
        "fused-dropout-in-eval",
        "Weights are dropped in eval() too. scaled_dot_product_attention drops whenever dropout_p is not 0: pass 0 unless self.training.",
        caught_by=DROPOUT,
        edits=[
            (
                "context = " + CONTEXT,
                "seen = None if attention_mask is None else ~padding"
                + NEXT
                + "mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=self.att_dropout.p)"
                + NEXT
                + "context = mixed.transpose(1, 2).reshape(b, s, hidden_dim)",
            )
        ],
        same_as="dropout-in-eval",
    ),
    Mistake(
        "dropout-on-output",
        "Dropout was applied to the output. It belongs on the weights, between the softmax and the values.",
        caught_by=DROPOUT,
        edits=[(DROP + "\n", "\n"), (END, "return self.att_dropout(self.o_proj(context))")],
    ),
    Mistake(
        "dropout-on-context",
        "Dropout was applied to the joined heads. It belongs on the weights, between the softmax and the values.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP + "\n", "\n"), (END, "return self.o_proj(self.att_dropout(context))")],
    ),
    Mistake(
        "dropout-on-each-head",
        "Dropout was applied to what the heads put out. It belongs on the weights, between the softmax and the values.",
        caught_by=ON_WEIGHTS,
        edits=[(DROP + "\n", "\n"), ("(weights @ v).transpose", "self.att_dropout(weights @ v).transpose")],
        same_as="dropout-on-context",
    ),
    from_family("dropout", "dropout-on-values"),
    Mistake(
        "dropout-on-scores",
        "Dropout was applied to the scores. It belongs on the weights, after the softmax.",
        caught_by=DROPOUT,
        edits=[(WEIGHTS, "scores = self.att_dropout(scores)" + NEXT + WEIGHTS), (DROP, "")],
    ),
    from_family(
        "dropout",
        "dropout-keeps-with-p",
        "dropped-twice",
        "normalised-after-dropout",
        "dropout-not-scaled",
        "dropout-nan-at-one",
        "dropped-whole-rows",
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
    from_family("layers", "weights-returned", "weights-returned-too"),
    from_family("softmax", "output-detached"),
    from_family("layers", "input-overwritten"),
    Mistake(
        "mask-overwritten",
        "The mask was changed in place. The caller still needs it: work on a copy.",
        caught_by=INPUTS,
        edits=[(HIDE, HIDE + IN_IF + "attention_mask.logical_not_()")],
    ),
    # --- the document's class
    document_copied("document-copied"),
    document_copied("document-copied-with-dropout", *TAKES_DROPOUT),
    document_copied("document-copied-with-dropout-and-check", *TAKES_DROPOUT, CHECKS_SIZES),
    document_copied("document-copied-with-check", CHECKS_SIZES),
    # --- prints left in
    Mistake(
        "prints-left-in",
        "Everything is right, but the document's two print calls are still there. Take them out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, TYPE + NEXT + WEIGHTS + NEXT + "print(weights)")],
    ),
    Mistake(
        "print-of-the-type",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, TYPE + NEXT + WEIGHTS)],
        same_as="prints-left-in",
    ),
    Mistake(
        "print-of-the-weights",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, WEIGHTS + NEXT + "print(weights)")],
        same_as="prints-left-in",
    ),
    Mistake(
        "print-of-the-mask",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, "print(attention_mask)" + NEXT + WEIGHTS)],
        same_as="prints-left-in",
    ),
    Mistake(
        "print-of-the-shape",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (END, "print(context.shape)" + NEXT + END)],
        same_as="prints-left-in",
    ),
    Mistake(
        "print-in-the-branch-of-the-mask",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (HIDE, HIDE + IN_IF + "print(scores.shape)")],
        same_as="prints-left-in",
    ),
    Mistake(
        "print-in-training",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, (WEIGHTS, WEIGHTS + NEXT + "if self.training:" + IN_IF + "print(weights.sum())")],
    ),
    Mistake(
        "print-in-init",
        "Everything is right, but a print call is still there. Take it out.",
        caught_by=PRINTS,
        edits=[PRINTABLE, ("self.att_dropout = nn", "print(nums_head)" + NEXT + "self.att_dropout = nn")],
        same_as="prints-left-in",
    ),
    kept_in_evaluation("test_calls_of_one_module_do_not_disturb_each_other"),
    from_family("too_weak", "fill-of-minus-100", "minus-100-added"),
    # --- met in other people's code
    from_family("layers", "output-layer-without-a-bias", "projections-without-a-bias"),
    # --- one layer for another, and what becomes of the result
    from_family(
        "head_projections",
        "queries-from-the-key-layer",
        "queries-from-the-value-layer",
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
        "not-divided-by-the-sum",
        "not-divided-after-the-maximum",
        "divided-by-sums-over-queries",
        "log-softmax",
        "sigmoid",
        "largest-score-only",
        "weights-transposed",
        "softmax-over-queries-and-keys",
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
    Mistake(
        "filled-with-plus-infinity",
        "Where there is padding, all is NaN, as when padded scores are filled with +inf. Fill them with minus infinity: -torch.inf.",
        caught_by=MASK,
        edits=[(HIDE, HIDE.replace("-torch", "torch"))],
    ),
    Mistake(
        "filled-with-minus-one",
        "Padded scores were filled with -1, so padding keeps a weight. Use -inf or -1e9.",
        caught_by=MASK,
        edits=[(HIDE, HIDE.replace("-torch.inf", "-1.0"))],
    ),
]
