"""Splitting into heads, `.view(in_heads).transpose(1, 2)`, and joining them, `.transpose(1, 2).reshape(joined)`."""

from grader.judge.authoring import Mistake

SWAP = ".transpose(1, 2)"
VIEW = f".view(in_heads){SWAP}"
ALL_IN_ONE = ".view(b, self.{heads}, {tokens}, self.head_dim)"
INTERLEAVED = ".view(b, {tokens}, self.head_dim, self.{heads}).permute(0, 3, 1, 2)"
JOIN = (".transpose(1, 2).reshape(", ".reshape(")


def _cut(how: str, tokens: str, heads: str, kv: str) -> list[tuple[str, str]]:
    """Edits that cut the width in this way; with `kv` the queries, and the keys and values, have views of their own."""
    if not kv:
        return [(VIEW, how.format(heads=heads, tokens=tokens))]
    view = f".view(b, {tokens}, self.{{}}, self.head_dim){SWAP}"
    return [(view.format(each), how.format(heads=each, tokens=tokens)) for each in (heads, kv)]


def split(
    *, viewed: str = "The projections were", heads: str, kv: str = "", heads_axis: str = "heads", tokens: str = "n"
) -> list[Mistake]:
    """The width is cut up in another way. `heads`, `kv`: the attributes with their number, `kv` where there are groups."""
    return [
        Mistake(
            "split-without-transpose",
            f"{viewed} viewed as (b, {heads_axis}, {tokens}, head_dim) at once, which puts parts of several tokens into one head. "
            f"View as (b, {tokens}, {heads_axis}, head_dim), then swap dimensions 1 and 2.",
            edits=_cut(ALL_IN_ONE, tokens, heads, kv),
            everywhere=True,
        ),
        Mistake(
            "split-interleaved",
            f"Each head took every {heads_axis}-th column. A head is a run of neighbouring columns: view(b, {tokens}, {heads_axis}, head_dim).",
            edits=_cut(INTERLEAVED, tokens, heads, kv),
            everywhere=True,
        ),
        Mistake(
            "heads-attend-to-heads",
            "The heads and tokens were never swapped: the scores compare the heads of one token with each other. "
            f"Attention needs (b, {heads_axis}, {tokens}, head_dim), so transpose(1, 2) after the view.",
            edits=[(VIEW, ".view(in_heads)"), JOIN],
            everywhere=True,
        ),
    ]


def split_and_merge(*, heads: str, kv: str = "", heads_axis: str = "heads", tokens: str = "n") -> Mistake:
    """Split and merge are wrong in the same way."""
    return Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head. "
        f"View as (b, {tokens}, {heads_axis}, head_dim), swap dimensions 1 and 2, and undo both in the reverse order.",
        edits=[*_cut(ALL_IN_ONE, tokens, heads, kv), JOIN],
        everywhere=True,
    )


def merge_without_transpose(*, values: str = "v", joined: str) -> Mistake:
    """The heads are joined as they are."""
    mixed = f"(weights @ {values})"
    merged = f"{mixed}.transpose(1, 2).reshape({joined})"
    return Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back, so tokens and heads are mixed up. "
        "First transpose(1, 2), then reshape.",
        edits=[(merged, f"{mixed}.reshape({joined})")],
    )


def merge_interleaved(*, values: str = "v", joined: str, heads_axis: str = "heads", tokens: str = "n") -> Mistake:
    """The heads are joined column by column."""
    mixed = f"(weights @ {values})"
    merged = f"{mixed}.transpose(1, 2).reshape({joined})"
    return Mistake(
        "merge-interleaved",
        "When the heads were joined, column 0 of every head came first, then column 1 of every head, and so on. Keep one head's "
        f"columns side by side: (b, {tokens}, {heads_axis}, head_dim), then reshape.",
        edits=[(merged, f"{mixed}.permute(0, 2, 3, 1).reshape({joined})")],
    )


def joined_otherwise(*, projected: str, values: str = "v", joined: str) -> list[Mistake]:
    """The values are not in heads, or the heads not side by side. `projected`: the values as tokens of heads, not yet transposed."""
    mixed = f"(weights @ {values})"
    merged = f"{mixed}.transpose(1, 2).reshape({joined})"
    return [
        Mistake(
            "values-not-in-heads",
            "Heads and tokens were not swapped in the values: they are (b, tokens, heads, head_dim), and the weights are (b, heads, "
            "tokens, tokens). transpose(1, 2) belongs behind the view of the values, too.",
            edits=[(f"{projected}.transpose(1, 2)", projected)],
        ),
        Mistake(
            "merge-over-the-width",
            "When the heads were joined, heads and head_dim were swapped (transpose(1, 3)). Swap heads and tokens: transpose(1, 2), then reshape.",
            edits=[(merged, f"{mixed}.transpose(1, 3).reshape({joined})")],
        ),
        Mistake(
            "merged-by-the-mean",
            "The heads were averaged. They stand side by side: transpose(1, 2), then reshape.",
            edits=[(merged, f"{mixed}.mean(dim=1)")],
        ),
    ]


def view_after_transpose(*, joined: str) -> Mistake:
    """view, where reshape is needed."""
    return Mistake(
        "view-after-transpose",
        "view cannot join dimensions after a transpose. Use reshape, or contiguous() before the view.",
        edits=[(f".reshape({joined})", f".view({joined})")],
    )


def keys_turned(*, keys: str = "k") -> list[Mistake]:
    """The keys are not transposed, or over other axes."""
    return [
        Mistake(
            "keys-wrong-axes",
            f"The keys were transposed over the wrong axes. Scores need (head_dim, tokens) at the end: {keys}.transpose(2, 3), or (-2, -1).",
            edits=[(f"{keys}.transpose(2, 3)", f"{keys}.transpose(1, 2)")],
        ),
        Mistake(
            "keys-not-turned",
            "The keys were not transposed, so their axes don't fit the queries'. Exchange their last two axes for the product: "
            f"{keys}.transpose(2, 3).",
            edits=[(f"{keys}.transpose(2, 3)", keys)],
        ),
    ]


def keys_reversed(*, keys: str = "k") -> Mistake:
    """`.T` of four axes."""
    return Mistake(
        "keys-all-axes-reversed",
        f"`.T` reverses all four axes of the keys. Only the last two change places: {keys}.transpose(2, 3), or .mT.",
        edits=[(f"{keys}.transpose(2, 3)", f"{keys}.permute(3, 2, 1, 0)")],
    )


def one_head(id: str = "one-head", *, heads: str, model: str) -> Mistake:
    """One head of the full width."""
    return Mistake(
        id,
        f"{heads} makes no difference: one head of the full width attends. Split queries, keys and values into {heads} heads.",
        edits=[(f"self.{heads} = {heads}", f"self.{heads} = 1"), (f"{model} // {heads}", model)],
    )


def divisibility(*, heads: str, model: str) -> Mistake:
    """Sizes that do not divide are accepted."""
    return Mistake(
        "no-divisibility-check",
        f"A {model} that {heads} does not divide was accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(f'        assert {model} % {heads} == 0, "{model} must be divisible by {heads}"\n', "")],
    )
