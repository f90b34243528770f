from itertools import combinations

from families import kept, too_weak

from grader.judge.authoring import Mistake

FIRST_CALL = "test_fault_of_the_first_call_is_gone"
ATTRIBUTE = "test_fault_of_the_missing_attribute_is_gone"
LENGTHS = "test_fault_of_other_lengths_is_gone"
SIZE = "test_fault_of_the_wrong_size_is_gone"
NOTHING_ELSE = "test_nothing_else_broke"
DROPOUT = "test_dropout_still_acts_in_training_only"

IMPORT_MATH, IMPORT_F = "import math\n", "import torch.nn.functional as F\n"
ASSERT = "        assert args.dim % args.n_heads == 0\n"
STORED = "        self.is_causal = is_causal\n"
KEYS, VALUES = "xk.view(bsz, k.shape[1],", "xv.view(bsz, v.shape[1],"
SPLIT_KEYS = "xk = xk.view(bsz, k.shape[1], self.n_local_heads, self.head_dim)"
SPLIT_VALUES = "xv = xv.view(bsz, v.shape[1], self.n_local_heads, self.head_dim)"
SCALE = " / math.sqrt(self.head_dim)"
SOFTMAX = "F.softmax(scores.float(), dim=-1).type_as(xq)"
CAUSAL = "        if self.is_causal:\n"
CROP = "self.mask[:, :, :seqlen, :seqlen]"
JOIN = "output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)"

# (name, what is left in, the check that is for it, how it is put back)
FAULTS = [
    (
        "imports",
        "a name is used in `forward` that the file never imports",
        FIRST_CALL,
        [(IMPORT_MATH, ""), (IMPORT_F, "")],
    ),
    (
        "is-causal",
        "`forward` asks for an attribute that `__init__` never sets",
        ATTRIBUTE,
        [(STORED, "")],
    ),
    (
        "lengths",
        "a `view` in `forward` cuts a sequence into heads with the number of tokens of another one",
        LENGTHS,
        [(KEYS, "xk.view(bsz, seqlen,"), (VALUES, "xv.view(bsz, seqlen,")],
    ),
    (
        "n-embd",
        "n_embd is checked where dim is what the layers use",
        SIZE,
        [(ASSERT, ASSERT.replace("dim", "n_embd"))],
    ),
]


def left_in(*faults):
    names = " and ".join(name for name, *_ in faults)
    several = {2: "Two faults are", 3: "Three faults are", 4: "All four faults are"}
    return Mistake(
        f"left-in-{names.replace(' and ', '-and-')}",
        f"{several[len(faults)]} still there, or a part of each. Mend one at a time: the failed checks tell how it shows (-v lists them)."
        if len(faults) > 1
        else f"One fault is still there: {faults[0][1]}.",
        caught_by=faults[0][2],
        edits=[edit for *_, edits in faults for edit in edits],
    )


MISTAKES = [
    *[left_in(*some) for count in (1, 2, 3, 4) for some in combinations(FAULTS, count)],
    # --- the first fault
    Mistake(
        "functional-from-elsewhere",
        "An attribute is asked for that is not there: the AttributeError says which, and in which line. If it is `softmax`, F was imported from the wrong place: softmax is in torch.nn.functional.",
        edits=[(IMPORT_F, "from torch import functional as F\n")],
    ),
    Mistake(
        "scale-lost",
        "The scale was lost in the repair. The scores were divided by √head_dim as given.",
        edits=[(SCALE, "")],
    ),
    Mistake(
        "scale-without-root",
        "The scores are divided by head_dim. As given they were divided by its root, and that was right.",
        edits=[(SCALE, " / self.head_dim")],
    ),
    Mistake(
        "root-of-a-plain-number",
        "torch.sqrt takes a tensor, and head_dim is a plain number: use math.sqrt, or ** 0.5.",
        edits=[(SCALE, " / torch.sqrt(self.head_dim)")],
    ),
    Mistake(
        "softmax-lost",
        "The softmax was lost in the repair: the scores themselves are used as weights.",
        edits=[(SOFTMAX, "scores")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the queries (dim=2). As given it was dim=-1, over the keys, and that was right.",
        edits=[(SOFTMAX, SOFTMAX.replace("-1", "2"))],
    ),
    Mistake(
        "softmax-over-heads",
        "The softmax runs over the heads (dim=1). As given it was dim=-1, over the keys, and that was right.",
        edits=[(SOFTMAX, SOFTMAX.replace("-1", "1"))],
    ),
    Mistake(
        "float32-returned",
        "With float64 numbers the weights stay float32 and xv is float64, so they can't be multiplied. `.type_as(xq)` brought the "
        "weights back to the dtype they came from.",
        caught_by=NOTHING_ELSE,
        edits=[(SOFTMAX, SOFTMAX.replace(".type_as(xq)", ""))],
    ),
    # --- the second
    Mistake(
        "never-causal",
        "is_causal=True hides nothing. Keep what was passed in, and ask for that.",
        caught_by=ATTRIBUTE,
        edits=[(STORED, STORED.replace("= is_causal", "= False"))],
    ),
    Mistake(
        "always-causal",
        "Later tokens are hidden with is_causal=False too. Keep what was passed in, and ask for that.",
        caught_by=ATTRIBUTE,
        edits=[(STORED, STORED.replace("= is_causal", "= True")), ("        if is_causal:\n", "        if True:\n")],
    ),
    Mistake(
        "true-was-stored",
        "is_causal is always True, whatever was passed in, but a mask is made only if it was asked for. Store what was passed in.",
        caught_by=ATTRIBUTE,
        edits=[(STORED, STORED.replace("= is_causal", "= True"))],
    ),
    Mistake(
        "local-name-in-forward",
        "`forward` knows nothing of the arguments of `__init__`. What it needs later has to be kept in self.",
        caught_by=ATTRIBUTE,
        edits=[(STORED, ""), (CAUSAL, CAUSAL.replace("self.", ""))],
    ),
    Mistake(
        "inverted",
        "is_causal is read the wrong way round: True hides the later tokens, False hides none.",
        caught_by=ATTRIBUTE,
        edits=[(STORED, STORED.replace("= is_causal", "= not is_causal"))],
    ),
    Mistake(
        "mask-not-cropped",
        "The mask is not cut down to the tokens that are there. That was right as given: [:seqlen, :seqlen].",
        caught_by=ATTRIBUTE,
        edits=[(CROP, "self.mask")],
    ),
    Mistake(
        "own-token-hidden",
        "Each token hides itself as well (diagonal=0). It was right as given: diagonal=1.",
        caught_by=ATTRIBUTE,
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "next-token-seen",
        "Each token still sees the next one (diagonal=2). It was right as given: diagonal=1.",
        caught_by=ATTRIBUTE,
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "earlier-tokens-hidden",
        "The earlier tokens are hidden and the later ones seen (tril). It was right as given: triu with diagonal=1.",
        caught_by=ATTRIBUTE,
        edits=[("torch.triu(mask, diagonal=1)", "torch.tril(mask, diagonal=-1)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask was moved behind the softmax. It was right as given: added to the scores, before the softmax.",
        caught_by=ATTRIBUTE,
        edits=[
            (CROP, "0"),
            (
                "scores = " + SOFTMAX,
                f"scores = {SOFTMAX}\n        if self.is_causal:\n            scores = scores + {CROP}",
            ),
        ],
    ),
    # --- the third
    Mistake(
        "cut-to-the-querys-length",
        "Keys and values were cut down to as many tokens as there are queries. All of them count, and there may be fewer, too.",
        caught_by=LENGTHS,
        edits=[
            (SPLIT_KEYS, "xk = xk[:, :seqlen].reshape(bsz, -1, self.n_local_heads, self.head_dim)"),
            (SPLIT_VALUES, "xv = xv[:, :seqlen].reshape(bsz, -1, self.n_local_heads, self.head_dim)"),
        ],
    ),
    Mistake(
        "split-without-transpose",
        "Keys and values are viewed with the heads in front of the tokens at once, which puts parts of several tokens into one head. "
        "View as given, then transpose.",
        edits=[
            (SPLIT_KEYS, "xk = xk.view(bsz, self.n_local_heads, -1, self.head_dim).transpose(1, 2)"),
            (SPLIT_VALUES, "xv = xv.view(bsz, self.n_local_heads, -1, self.head_dim).transpose(1, 2)"),
        ],
    ),
    Mistake(
        "queries-as-keys",
        "Keys and values are made from q. They come from k and v.",
        edits=[
            ("self.wk(k), self.wv(v)", "self.wk(q), self.wv(q)"),
            (KEYS, "xk.view(bsz, seqlen,"),
            (VALUES, "xv.view(bsz, seqlen,"),
        ],
    ),
    Mistake(
        "keys-as-values",
        "The values are made from k (or keys and values from the same tensor). Keys come from k, values from v, which may differ.",
        edits=[("self.wv(v)", "self.wv(k)")],
    ),
    # --- the fourth
    Mistake(
        "check-removed",
        "Nothing is checked any more. A dim that n_heads does not divide has to be refused.",
        caught_by=SIZE,
        edits=[(ASSERT, "")],
    ),
    Mistake(
        "both-checked",
        "n_embd is still checked, too. It is ignored: only dim is shared out among the heads.",
        caught_by=SIZE,
        edits=[(ASSERT, ASSERT + ASSERT.replace("dim", "n_embd"))],
    ),
    Mistake(
        "layers-from-n-embd",
        "The layers were made as wide as n_embd. The width is dim everywhere; it is the check that asked for the wrong one.",
        caught_by=SIZE,
        edits=[("(args.dim, args.n_heads", "(args.n_embd, args.n_heads")],
        everywhere=True,
    ),
    # --- what else may break
    Mistake(
        "join-without-transpose",
        "The heads are joined without swapping heads and tokens back. It was right as given: transpose, contiguous, view.",
        edits=[(JOIN, "output.contiguous().view(bsz, seqlen, -1)")],
    ),
    Mistake(
        "output-layer-lost",
        "wo is not used any more. It was right as given: the last step before the dropout.",
        edits=[("output = self.wo(output)", "pass")],
    ),
    Mistake(
        "with-bias",
        "The layers have got a bias. They had none as given.",
        edits=[(", bias=False", "")],
        everywhere=True,
    ),
    Mistake(
        "no-dropout",
        "Nothing is dropped any more. The two dropouts were right as given.",
        caught_by=DROPOUT,
        edits=[("scores = self.attn_dropout(scores)", "pass"), ("output = self.resid_dropout(output)", "pass")],
    ),
    Mistake(
        "dropout-in-eval",
        "Weights or outputs are dropped in eval() too. nn.Dropout knows the mode; F.dropout needs training=self.training.",
        caught_by=DROPOUT,
        edits=[("scores = self.attn_dropout(scores)", "scores = F.dropout(scores, self.attn_dropout.p)")],
    ),
    Mistake(
        "weights-detached",
        "The output is right, but .detach(), .data or torch.no_grad() stops the gradients, so not everything can be trained.",
        caught_by="test_training_still_works",
        edits=[(SOFTMAX, SOFTMAX.replace("scores.float()", "scores.detach().float()"))],
    ),
    Mistake(
        "output-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
        caught_by="test_training_still_works",
        edits=[("output = self.resid_dropout(output)", "output = self.resid_dropout(output).detach()")],
    ),
    Mistake(
        "input-overwritten",
        "An input was changed in place. The caller still needs it.",
        caught_by="test_inputs_are_left_alone",
        edits=[
            (
                "        output = self.resid_dropout(output)\n",
                "        output = self.resid_dropout(output)\n        k.data.mul_(2)\n",
            )
        ],
    ),
    kept.in_evaluation("test_nothing_else_broke"),
    too_weak.mistake(
        fill="scores = scores + self.mask[:, :, :seqlen, :seqlen]",
        weak_fill="scores = scores.masked_fill(self.mask[:, :, :seqlen, :seqlen] < 0, -100.0)",
        loud=NOTHING_ELSE,
    ),
    # --- one thing for another
    Mistake(
        "softmax-twice",
        "The softmax is taken twice. Once was right as given.",
        edits=[(SOFTMAX, "F.softmax(F.softmax(scores.float(), dim=-1), dim=-1).type_as(xq)")],
    ),
    Mistake(
        "filled-with-plus-infinity",
        "Every row that hides something is NaN, as when the mask holds +inf. It was right as given: -inf above the diagonal.",
        caught_by=ATTRIBUTE,
        edits=[('float("-inf")', 'float("inf")')],
    ),
    Mistake(
        "scale-from-heads",
        "The scores are divided by the root of the number of heads. √head_dim was right as given.",
        edits=[(SCALE, " / math.sqrt(self.n_local_heads)")],
    ),
    Mistake(
        "squeezed",
        "Axes of size 1 were squeezed away. A batch of one sequence, or a single query, keeps its axis.",
        caught_by=LENGTHS,
        edits=[("output = self.resid_dropout(output)", "output = self.resid_dropout(output).squeeze()")],
    ),
    Mistake(
        "attention-dropout-lost",
        "The weights are not dropped any more. The two dropouts were right as given.",
        caught_by=DROPOUT,
        edits=[("scores = self.attn_dropout(scores)", "pass")],
    ),
    Mistake(
        "residual-dropout-lost",
        "The output is not dropped any more. The two dropouts were right as given.",
        caught_by=DROPOUT,
        edits=[("output = self.resid_dropout(output)", "pass")],
    ),
    Mistake(
        "keys-not-turned",
        "The keys are not transposed any more. It was right as given: xk.transpose(2, 3).",
        edits=[("xk.transpose(2, 3)", "xk")],
    ),
]
