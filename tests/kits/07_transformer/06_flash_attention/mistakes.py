from families import blocks

from grader.judge.authoring import Mistake

FIT = "test_blocks_need_not_fit"
CAUSAL = "test_causal"
LSE = "test_logsumexp_agrees_with_formula"
PLANE = "test_full_matrix_is_never_made"
LARGE = "test_large_scores_stay_finite"
GRADIENTS = "test_gradients_flow_through_both_results"
MAXIMUM_START = "rows.new_full((*rows.shape[:-1], 1), -torch.inf)"
TOTAL = "total * shrink + exps.sum(dim=-1, keepdim=True)"
OUTPUT = "output * shrink + exps @ value[..., block, :]"
ROWS = "range(0, num_queries, block_q)"
KEYS = "range(0, visible_keys, block_k)"
VISIBLE = "visible_keys = last + ahead if causal else num_keys"
PLACE = "torch.arange(first, last)[:, None] + ahead"
LATER = "torch.arange(block.start, block.stop)[None, :] > place"
FILL = "scores = scores.masked_fill(later, -torch.inf)"
DIVIDED = "outs.append(output / total)"
LOGSUMEXP = "(maximum + torch.log(total)).squeeze(-1)"
RETURN = "return torch.cat(outs, dim=-2), torch.cat(logsumexps, dim=-1)"
BEGIN = "    scale = "

MERGED_BLOCKS = """import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    scale = query.shape[-1] ** -0.5
    ahead = key.shape[-2] - query.shape[-2]
    outs, logsumexps = [], []
    for first in range(0, query.shape[-2], block_q):
        rows = query[..., first : first + block_q, :]
        out, logsumexp = 0.0, rows.new_full(rows.shape[:-1], -torch.inf)
        for start in range(0, key.shape[-2], block_k):
            scores = rows @ key[..., start : start + block_k, :].transpose(-2, -1) * scale
            if causal:
                place = torch.arange(first, first + rows.shape[-2])[:, None] + ahead
                later = torch.arange(start, start + scores.shape[-1]) > place
                scores = scores.masked_fill(later, -torch.inf)
            own = torch.logsumexp(scores, dim=-1)
            joined = torch.logaddexp(logsumexp, own)
            part = torch.softmax(scores, dim=-1) @ value[..., start : start + block_k, :]
            out = out * (logsumexp - joined).exp()[..., None] + part * (own - joined).exp()[..., None]
            logsumexp = joined
        outs.append(out)
        logsumexps.append(logsumexp)
    return torch.cat(outs, dim=-2), torch.cat(logsumexps, dim=-1)
"""


MISTAKES = [
    # --- putting the blocks together
    *blocks.mistakes(
        rows="rows",
        divided=DIVIDED,
        without_it="outs.append(output)",
        start=MAXIMUM_START,
        zero_start="rows.new_zeros((*rows.shape[:-1], 1))",
        before="    outs, logsumexps",
    ),
    Mistake(
        "softmaxes-averaged",
        "Each block got a softmax of its own, and the results were averaged. A block with larger scores counts for more: add up exps and "
        "products, and divide once, at the end.",
        edits=[
            (OUTPUT, "output + torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value[..., block, :]"),
            (DIVIDED, "outs.append(output / max(1, -(-visible_keys // block_k)))"),
        ],
    ),
    Mistake(
        "divided-in-every-block",
        "The output was divided by the total after every block, and the next block was added to that. Divide once, after the last block of keys.",
        edits=[
            (
                "            maximum = new_maximum\n",
                "            output = output / total\n            maximum = new_maximum\n",
            ),
            (DIVIDED, "outs.append(output)"),
        ],
    ),
    Mistake(
        "last-block-only",
        "Only the last block of keys counts: each block overwrites total and output. Add to them.",
        edits=[(OUTPUT, OUTPUT.replace("output * shrink + ", "")), (TOTAL, TOTAL.replace("total * shrink + ", ""))],
    ),
    Mistake(
        "not-begun-anew",
        "Maximum, total and output were carried over from one block of queries to the next. Start them again for each block of queries.",
        edits=[
            (MAXIMUM_START, f"{MAXIMUM_START} if first == 0 or rows.shape[-2] != maximum.shape[-2] else maximum"),
            (
                "total = rows.new_zeros(*rows.shape[:-1], 1)",
                "total = rows.new_zeros(*rows.shape[:-1], 1) if first == 0 or rows.shape[-2] != total.shape[-2] else total",
            ),
            (
                "output = rows.new_zeros(*rows.shape[:-1], value.shape[-1])",
                "output = rows.new_zeros(*rows.shape[:-1], value.shape[-1]) if first == 0 or rows.shape[-2] != output.shape[-2] else output",
            ),
        ],
    ),
    Mistake(
        "short-block-of-keys-lost",
        "The keys after the last full block are missing. A short block counts too: let the loop run to the last key.",
        caught_by=FIT,
        edits=[(KEYS, "range(0, visible_keys if causal else max(visible_keys // block_k * block_k, 1), block_k)")],
    ),
    Mistake(
        "short-block-of-queries-lost",
        "The queries after the last full block are missing. A short block counts too: let the loop run to the last query.",
        caught_by=FIT,
        edits=[(ROWS, "range(0, max(num_queries // block_q * block_q, 1), block_q)")],
    ),
    # --- causal
    Mistake(
        "causal-ignored",
        "`causal` is not used: every query sees every key.",
        caught_by=CAUSAL,
        edits=[(BEGIN, "    causal = False\n" + BEGIN)],
    ),
    Mistake(
        "always-causal",
        "Later keys are hidden although `causal` is False, which is its default.",
        edits=[(BEGIN, "    causal = key.shape[-2] >= query.shape[-2]\n" + BEGIN)],
    ),
    Mistake(
        "diagonal-at-the-upper-left",
        "The diagonal starts at the upper left, so with more keys than queries the last query does not see them all. Query i sees the keys "
        "j ≤ i + Lk - Lq.",
        caught_by=CAUSAL,
        edits=[(PLACE, "torch.arange(first, last)[:, None]")],
    ),
    Mistake(
        "too-few-blocks-looked-at",
        "The loop over the keys ends at the number of the last query of the block. With more keys than queries, visible keys are left out: "
        "query i sees the keys j ≤ i + Lk - Lq.",
        caught_by=CAUSAL,
        edits=[(VISIBLE, "visible_keys = last if causal else num_keys")],
    ),
    Mistake(
        "queries-counted-in-the-block",
        "Queries were numbered within their block, from 0, so all blocks but the first see too few keys. Add the number of the block's first query.",
        caught_by=CAUSAL,
        edits=[(PLACE, "torch.arange(last - first)[:, None] + ahead")],
    ),
    Mistake(
        "keys-counted-in-the-block",
        "Keys were numbered within their block, from 0, so too many keys of later blocks are visible. Add the number of the block's first key.",
        caught_by=CAUSAL,
        edits=[(LATER, "torch.arange(block.stop - block.start)[None, :] > place")],
    ),
    Mistake(
        "diagonal-hidden",
        "A query does not see the key at its own place, j = i + Lk - Lq. Only keys after it are hidden.",
        caught_by=CAUSAL,
        edits=[
            (LATER, LATER.replace("> place", ">= place")),
            ("-torch.inf)\n            new", "-1e4)\n            new"),
        ],
    ),
    Mistake(
        "next-key-visible",
        "Each query sees one key too many, the one right after its place. Hide the keys j > i + Lk - Lq.",
        caught_by=CAUSAL,
        edits=[
            (LATER, LATER.replace("> place", "> place + 1")),
            (VISIBLE, "visible_keys = min(last + ahead + 1, num_keys) if causal else num_keys"),
        ],
    ),
    Mistake(
        "hidden-scores-zero",
        "Hidden scores were set to 0, but a score of 0 still has a weight. Set them to minus infinity.",
        caught_by=CAUSAL,
        edits=[(FILL, FILL.replace("-torch.inf", "0.0"))],
    ),
    Mistake(
        "hidden-scores-too-high",
        "Hidden scores were set to about -100, and visible ones may be lower than that. Use minus infinity.",
        caught_by=LARGE,
        edits=[(FILL, FILL.replace("-torch.inf", "-100.0"))],
    ),
    Mistake(
        "nan-from-hidden-blocks",
        "There is NaN: in a block without a visible key all scores of a row are -inf, and then its softmax is 0/0, or -inf - (-inf). "
        "Leave such blocks out, or see to it that no maximum is -inf when you subtract it. (Hidden scores of +inf give the same.)",
        caught_by=CAUSAL,
        source=MERGED_BLOCKS,
    ),
    # --- the logsumexp
    Mistake(
        "logsumexp-without-the-maximum",
        "In logsumexp the maximum that was subtracted from the scores is missing: it is maximum + log(total).",
        caught_by=LSE,
        edits=[(LOGSUMEXP, "torch.log(total).squeeze(-1)")],
    ),
    Mistake(
        "logsumexp-is-the-total",
        "For logsumexp the total itself was returned. It is maximum + log(total).",
        caught_by=LSE,
        edits=[(LOGSUMEXP, "total.squeeze(-1)")],
    ),
    Mistake(
        "logsumexp-of-unscaled-scores",
        "logsumexp was taken of scores that were not divided by √d. Take it of the scaled scores, from which the weights are made.",
        caught_by=LSE,
        edits=[
            (
                "        outs.append",
                "        unscaled = rows @ key.transpose(-2, -1)\n        if causal:\n            unscaled = unscaled.masked_fill(torch.arange(num_keys) > torch.arange(first, last)[:, None] + ahead, -torch.inf)\n        outs.append",
            ),
            (LOGSUMEXP, "unscaled.logsumexp(dim=-1)"),
        ],
    ),
    Mistake(
        "logsumexp-not-rescaled",
        "logsumexp was made from a sum that was not corrected when the maximum grew. Make it from the same total that divides the output.",
        caught_by=LSE,
        edits=[
            ("        total = rows", "        uncorrected = 0.0\n        total = rows"),
            (
                "            maximum = new_maximum\n",
                "            maximum = new_maximum\n            uncorrected = uncorrected + exps.sum(dim=-1, keepdim=True)\n",
            ),
            (LOGSUMEXP, "(maximum + torch.log(uncorrected)).squeeze(-1)"),
        ],
    ),
    Mistake(
        "logsumexp-with-the-sign-turned",
        "logsumexp was computed as maximum - log(total). It is maximum + log(total).",
        caught_by=LSE,
        edits=[(LOGSUMEXP, LOGSUMEXP.replace(" + ", " - "))],
    ),
    Mistake(
        "only-out",
        "Only `out` was returned. Return a pair, (out, logsumexp).",
        caught_by="test_three_values_in_small_blocks",
        edits=[(RETURN, "return torch.cat(outs, dim=-2)")],
    ),
    Mistake(
        "pair-the-other-way-round",
        "The pair came back as (logsumexp, out). The order is (out, logsumexp).",
        edits=[(RETURN, "return torch.cat(logsumexps, dim=-1), torch.cat(outs, dim=-2)")],
    ),
    # --- the full matrix
    Mistake(
        "full-matrix",
        "All scores were computed at once, which this exercise forbids. Compute the scores of one block, add it to total and output, then go on to "
        "the next block.",
        caught_by=PLANE,
        edits=[(BEGIN, "    block_q, block_k = query.shape[-2], key.shape[-2]\n" + BEGIN)],
    ),
    Mistake(
        "full-mask",
        "The causal mask was made for all queries and keys at once. It is as large as the scores would be: make it for one block.",
        caught_by=PLANE,
        edits=[
            (
                "    outs, logsumexps",
                "    mask = torch.ones(num_queries, num_keys, dtype=torch.bool).triu(diagonal=ahead + 1) if causal else None\n    outs, logsumexps",
            ),
            (LATER, "mask[first:last, block]"),
        ],
    ),
    Mistake(
        "blocks-of-a-size-of-their-own",
        "The blocks have a fixed size, whatever block_q and block_k say. In a short text one such block is the whole matrix.",
        caught_by=PLANE,
        edits=[(BEGIN, "    block_q, block_k = 32, 32\n" + BEGIN)],
    ),
    # --- the attention itself
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values.",
        edits=[
            (OUTPUT, OUTPUT.replace("value[", "key[")),
            ("rows.new_zeros(*rows.shape[:-1], value.shape[-1])", "rows.new_zeros(*rows.shape[:-1], key.shape[-1])"),
        ],
    ),
    Mistake(
        "single-precision",
        "The results are always float32. Keep the dtype that comes in: float64 stays float64.",
        edits=[(RETURN, "return torch.cat(outs, dim=-2).float(), torch.cat(logsumexps, dim=-1).float()")],
    ),
    # --- gradients and manners
    Mistake(
        "detached",
        "The numbers are right, but no gradient comes back: .detach(), .data or torch.no_grad() cuts it off, so nothing could be trained.",
        caught_by=GRADIENTS,
        edits=[(RETURN, "return torch.cat(outs, dim=-2).detach(), torch.cat(logsumexps, dim=-1).detach()")],
    ),
    Mistake(
        "logsumexp-detached",
        "No gradient comes back through logsumexp: .detach(), .data or torch.no_grad() cuts it off. Both results are differentiable.",
        caught_by=GRADIENTS,
        edits=[(RETURN, "return torch.cat(outs, dim=-2), torch.cat(logsumexps, dim=-1).detach()")],
    ),
    Mistake(
        "filled-with-plus-infinity",
        "Hidden scores were filled with +inf, which makes rows NaN. Fill them with minus infinity: -torch.inf.",
        caught_by=CAUSAL,
        edits=[(FILL, FILL.replace("-torch", "torch"))],
    ),
    Mistake(
        "squeezed",
        "Axes of size 1 were squeezed away from `out`. One query, or a width of 1, keeps its axis: no squeeze().",
        edits=[(RETURN, RETURN.replace("dim=-2)", "dim=-2).squeeze()"))],
    ),
]
