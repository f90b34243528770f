"""Splitting into heads and joining them again: `.view(in_heads).transpose(1, 2)`, then `.transpose(1, 2).reshape(...)`.

main           the check that compares with the formula
viewed         what is split, as the message begins: The projections were
heads          the attribute that holds the number of heads: num_heads
heads_axis     the axis of the heads, as messages call it: num_heads
tokens         the number of tokens: n
keys, values   the variables: keys, values
model          the width that is split: d_out
joined         the shape of the joined heads: b, n, self.d_out
"""

from grader.judge.authoring import Mistake

VIEW = ".view(in_heads).transpose(1, 2)"
INTERLEAVED = ".view(b, $tokens, self.head_dim, self.$heads).permute(0, 3, 1, 2)"
ALL_IN_ONE = ".view(b, self.$heads, $tokens, self.head_dim)"
MIXED = "(weights @ $values)"
JOINED = f"{MIXED}.transpose(1, 2).reshape($joined)"

FAMILY = [
    Mistake(
        "split-without-transpose",
        "$viewed viewed as (b, $heads_axis, $tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "View as (b, $tokens, $heads_axis, head_dim), then swap dimensions 1 and 2.",
        caught_by="$main",
        edits=[(VIEW, ALL_IN_ONE)],
        everywhere=True,
    ),
    Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head. "
        "View as (b, $tokens, $heads_axis, head_dim), swap dimensions 1 and 2, and undo both in the reverse order.",
        caught_by="$main",
        edits=[(VIEW, ALL_IN_ONE), (".transpose(1, 2).reshape(", ".reshape(")],
        everywhere=True,
    ),
    Mistake(
        "split-interleaved",
        "Each head took every $heads_axis-th column. A head is a run of neighbouring columns: view(b, $tokens, $heads_axis, head_dim).",
        caught_by="$main",
        edits=[(VIEW, INTERLEAVED)],
        everywhere=True,
    ),
    Mistake(
        "split-and-merged-interleaved",
        "Each head took every $heads_axis-th column, and the merge put them back in the same way. "
        "A head is a run of neighbouring columns: view(b, $tokens, $heads_axis, head_dim).",
        caught_by="$main",
        edits=[(VIEW, INTERLEAVED), (".transpose(1, 2).reshape(", ".permute(0, 2, 3, 1).reshape(")],
        everywhere=True,
    ),
    Mistake(
        "heads-attend-to-heads",
        "The heads and tokens were never swapped: the scores compare the heads of one token with each other. "
        "Attention needs (b, $heads_axis, $tokens, head_dim), so transpose(1, 2) after the view.",
        caught_by="$main",
        edits=[(VIEW, ".view(in_heads)"), (".transpose(1, 2).reshape(", ".reshape(")],
        everywhere=True,
    ),
    Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back, so tokens and heads are mixed up. "
        "First transpose(1, 2), then reshape.",
        caught_by="$main",
        edits=[(JOINED, f"{MIXED}.reshape($joined)")],
    ),
    Mistake(
        "merge-interleaved",
        "When the heads were joined, column 0 of every head came first, then column 1 of every head, and so on. Keep one head's "
        "columns side by side: (b, $tokens, $heads_axis, head_dim), then reshape.",
        caught_by="$main",
        edits=[(JOINED, f"{MIXED}.permute(0, 2, 3, 1).reshape($joined)")],
    ),
    Mistake(
        "view-after-transpose",
        "view cannot join dimensions after a transpose. Use reshape, or contiguous() before the view.",
        caught_by="$main",
        edits=[(".reshape($joined)", ".view($joined)")],
    ),
    Mistake(
        "keys-wrong-axes",
        "The keys were transposed over the wrong axes. Scores need (head_dim, tokens) at the end: $keys.transpose(2, 3), or (-2, -1).",
        caught_by="$main",
        edits=[("$keys.transpose(2, 3)", "$keys.transpose(1, 2)")],
    ),
    Mistake(
        "keys-all-axes-reversed",
        "`.T` reverses all four axes of the keys. Only the last two change places: $keys.transpose(2, 3), or .mT.",
        caught_by="$main",
        edits=[("$keys.transpose(2, 3)", "$keys.permute(3, 2, 1, 0)")],
    ),
    Mistake(
        "heads-ignored",
        "$heads_axis makes no difference: one head of the full width attends. Split queries, keys and values into $heads_axis heads.",
        caught_by="$main",
        edits=[("self.$heads = $heads", "self.$heads = 1"), ("$model // $heads", "$model")],
    ),
    Mistake(
        "one-head",
        "There is only one head of the whole width. Split q, k and v into $heads heads.",
        caught_by="$main",
        edits=[
            ("self.$heads = $heads", "self.$heads = 1"),
            ("self.head_dim = $model // $heads", "self.head_dim = $model"),
        ],
    ),
    Mistake(
        "no-divisibility-check",
        "A $model that $heads does not divide was accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[('        assert $model % $heads == 0, "$model must be divisible by $heads"\n', "")],
    ),
    Mistake(
        "keys-not-turned",
        "The keys were not transposed, so their axes don't fit the queries'. Exchange their last two axes for the product: "
        "$keys.transpose(2, 3).",
        caught_by="$main",
        edits=[("$keys.transpose(2, 3)", "$keys")],
    ),
]
