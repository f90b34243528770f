"""Textbook slips as edits of code that nobody wrote for them: `slips_in(source)` gives each that fits some line.

The banks edit the references; here the same slips are made in any code, such as the other right answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Slip:
    """One slip: what is looked for, and what stands there instead, once or wherever it is found."""

    name: str
    pattern: str
    instead: str
    everywhere: bool = False

    def made_in(self, source: str) -> str | None:
        """The source with it; None where nothing fits."""
        changed, count = re.subn(self.pattern, self.instead, source, count=0 if self.everywhere else 1)
        return changed if count and changed != source and _is_python(changed) else None


NUMBER = r"[\w.\[\]()-]*?"
SLIPS = (
    Slip("no scale, root", r" / math\.sqrt\([\w.\[\]()-]+?\)(?=[\n, )])", ""),
    Slip("no scale, power", rf" [/*] {NUMBER} ?\*\* ?-?0\.5", ""),
    Slip("no root", r"(/ [\w.]+(?:\[-1\])?) ?\*\* ?0\.5", r"\1"),
    Slip("no root of it", r"math\.sqrt\(", "float("),
    Slip("scaled the wrong way", rf" / ({NUMBER} ?\*\* ?0\.5)", r" * \1"),
    Slip("softmax over the queries", r"softmax\(([^()]*(?:\([^()]*\)[^()]*)*), (dim=)?-1\)", r"softmax(\1, dim=-2)"),
    Slip("softmax over the queries, method", r"\.softmax\((dim=)?-1\)", ".softmax(dim=-2)"),
    Slip("own token hidden", r"diagonal=1", "diagonal=0"),
    Slip("next token seen", r"diagonal=1", "diagonal=2"),
    Slip("own token hidden, short", r"\.triu\(1\)", ".triu(0)"),
    Slip("past hidden", r"triu\(", "tril("),
    Slip("mask turned round", r"masked_fill\(", "masked_fill(~"),
    Slip("filled with nothing", r"-torch\.inf|float\(\"-inf\"\)|-math\.inf", "0.0", everywhere=True),
    Slip("filled too weakly", r"-torch\.inf|float\(\"-inf\"\)|-math\.inf", "-100.0", everywhere=True),
    Slip("keys as values", r"self\.W_value\(", "self.W_key("),
    Slip("keys as values, v_proj", r"self\.v_proj\(", "self.k_proj("),
    Slip("values as keys", r"self\.k_proj\(", "self.v_proj("),
    Slip("keys as values, linear_v", r"self\.linear_v\(", "self.linear_k("),
    Slip("queries as keys, linear_k", r"self\.linear_k\(", "self.linear_q("),
    Slip("no last projection, o_proj", r"self\.o_proj\((\w[\w.]*)\)", r"\1"),
    Slip("no last projection, out_proj", r"self\.out_proj\((\w[\w.]*)\)", r"\1"),
    Slip("always in training", r"training=self\.training", "training=True"),
    Slip("merged without a swap", r"\.transpose\(1, 2\)\.(contiguous\(\)\.view|reshape|flatten)\(", r".\1("),
    Slip("heads tiled", r"repeat_interleave\((\w+), dim=1\)", r"repeat(1, \1, 1, 1)"),
    Slip("mean for sum", r"\.sum\(", ".mean("),
    Slip("no exponential", r"\.exp\(\)", ""),
    Slip("sign of the sine", r"- (\w+) \* (sin\w*)", r"+ \1 * \2"),
    Slip("another axis", r"dim=-1", "dim=0"),
    Slip("detached", r"\n( +)return ([^\n,]+)\n*$", r"\n\1return (\2).detach()\n"),
)

OTHER_SLIPS = (
    Slip("no softmax", r"(?:F|torch|functional)\.softmax\((\w+), (?:dim=)?-1\)", r"(\1)"),
    Slip("no softmax, method", r"\.softmax\((?:dim=)?-1\)", ""),
    Slip("softmax over axis 1", r"softmax\(([^()]*(?:\([^()]*\)[^()]*)*), (dim=)?-1\)", r"softmax(\1, dim=1)"),
    Slip("softmax twice", r"\.softmax\((?:dim=)?-1\)", ".softmax(-1).softmax(-1)"),
    Slip("sum over the wrong axis", r"\.sum\((dim=)?-1", r".sum(\1-2"),
    Slip("not divided by the sum", r"(\w+) / \1\.sum\([^()]*\)", r"\1"),
    Slip("filled with plus infinity", r"-torch\.inf|float\(\"-inf\"\)|-math\.inf", "torch.inf", everywhere=True),
    Slip("filled with almost nothing", r"-1e(?:4|6|9|20|30)\b", "-1e-9", everywhere=True),
    Slip("filled with a small number", r"-1e(?:4|6|9|20|30)\b|-1000\.0", "-10.0", everywhere=True),
    Slip("filled copy dropped", r"\b(\w+) = \1\.masked_fill\(", r"\1.masked_fill("),
    Slip("mask not cropped", r"self\.mask\[:n, :n\]", "self.mask"),
    Slip("own token hidden, compared", r"(\w+(?:\[[^\]]*\])?) > (\w+(?:\[[^\]]*\])?)", r"\1 >= \2"),
    Slip("never causal", r"is_causal=True", "is_causal=False"),
    Slip(
        "causal unasked",
        r"scaled_dot_product_attention\((\w+), (\w+), (\w+)\)",
        r"scaled_dot_product_attention(\1, \2, \3, is_causal=True)",
    ),
    Slip("width of the tokens", r"(/ (?:math\.sqrt\()?\w+\.(?:shape\[|size\())-1", r"\1-2"),
    Slip("root of the heads", r"self\.head_dim ?\*\* ?(-?)0\.5", r"self.num_heads ** \g<1>0.5"),
    Slip("queries as keys, W_key", r"self\.W_key\(", "self.W_query("),
    Slip("keys as queries, q_proj", r"self\.q_proj\(", "self.k_proj("),
    Slip("keys as queries, linear_q", r"self\.linear_q\(", "self.linear_k("),
    Slip("values as queries", r"self\.W_query\(", "self.W_value("),
    Slip("keys not turned", r"\.mT\b|\.transpose\(-2, -1\)|\.transpose\(-1, -2\)", ""),
    Slip(
        "split without a swap",
        r"\.(view|reshape)\((\w+), (\w+), ([\w.]+), ([\w.-]+)\)\.transpose\(1, 2\)",
        r".\1(\2, \4, \3, \5)",
    ),
    Slip("merged without a swap, permute", r"\.permute\(0, 2, 1, 3\)\.(flatten|reshape)\(", r".\1("),
    Slip("nothing dropped", r"self\.(?:att_|attn_)?dropout\((\w+)\)", r"\1"),
    Slip("dropped in evaluation", r"self\.((?:att_|attn_)?dropout)\((\w+)\)", r"torch.dropout(\2, self.\1.p, True)"),
    Slip("never a bias", r"bias=qkv_bias", "bias=False", everywhere=True),
    Slip("always a bias", r", bias=(?:qkv_bias|False)", "", everywhere=True),
    Slip("joined along axis 1", r"torch\.cat\(([^()]*(?:\([^()]*\)[^()]*)*), dim=-[12]\)", r"torch.cat(\1, dim=1)"),
    Slip("divided by one less", r"unbiased=False|correction=0", "correction=1"),
    Slip("no eps", r" \+ (?:self\.)?eps\b", ""),
    Slip("squeezed", r"\n( +)return ([^\n,]+)\n*$", r"\n\1return (\2).squeeze()\n"),
    Slip("float32 returned", r"\n( +)return ([^\n,]+)\n*$", r"\n\1return (\2).float()\n"),
)
"""A second list, written down before anybody measured which of them get a name; the banks were widened for both since.
Whole answers that nothing was mended for are in `written/held_back`."""


def slips_in(source: str, slips: Sequence[Slip] = SLIPS) -> Iterator[tuple[str, str]]:
    """The names of the slips that fit, and the source with each."""
    for slip in slips:
        if (changed := slip.made_in(source)) is not None:
            yield slip.name, changed


def pairs_in(source: str) -> Iterator[tuple[str, str]]:
    """The same with two at once, in different lines."""
    for one, other in combinations(SLIPS, 2):
        first, second = one.made_in(source), other.made_in(source)
        if first is None or second is None or _lines_of(first, source) & _lines_of(second, source):
            continue
        both = other.made_in(first)
        if both is not None and both not in (first, second):
            yield f"{one.name} + {other.name}", both


def _lines_of(changed: str, source: str) -> set[int]:
    pairs = zip(changed.splitlines(), source.splitlines(), strict=False)
    return {number for number, (one, other) in enumerate(pairs) if one != other}


def _is_python(source: str) -> bool:
    try:
        compile(source, "slip", "exec")
    except SyntaxError:
        return False
    return True
