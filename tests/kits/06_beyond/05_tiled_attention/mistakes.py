from families import blocks, kept, results

from grader.judge.authoring import Mistake

FIT = "test_block_size_need_not_fit"
PLANE = "test_full_matrix_is_never_made"
LARGE = "test_large_scores_stay_finite"
MAXIMUM = "torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))"
START = "maximum = query.new_full(a_row, -torch.inf)"
TOTAL = "total * shrink + exps.sum(dim=-1, keepdim=True)"
OUTPUT = "output * shrink + exps @ value[..., block, :]"
SHRINK = "shrink = torch.exp(maximum - new_maximum)"
RANGE = "range(0, key.shape[-2], block_size)"
SCORES = "query @ key[..., block, :].transpose(-2, -1) * scale"
RETURN = "return output / total"


MISTAKES = [
    # --- putting the blocks together
    *blocks.mistakes(
        rows="query",
        divided=RETURN,
        without_it="return output",
        start=START,
        zero_start="maximum = query.new_zeros(a_row)",
        before="    a_row",
    ),
    Mistake(
        "each-block-its-own-maximum",
        "Each block subtracts its own maximum, and the sums are added as they are. Exps of different blocks can only be added when the "
        "same maximum was subtracted: keep the largest score so far, and correct total and output when it grows.",
        edits=[(MAXIMUM, "scores.amax(dim=-1, keepdim=True)"), (SHRINK, "shrink = 1.0")],
    ),
    Mistake(
        "rescaled-the-wrong-way",
        "The correction is upside down: exp(new - old) makes total and output larger. They must shrink when the maximum grows: exp(old - new).",
        edits=[
            (START, "maximum = query.new_full(a_row, -100.0)"),
            (SHRINK, "shrink = torch.exp((new_maximum - maximum) * (start > 0))"),
        ],
    ),
    Mistake(
        "softmaxes-averaged",
        "Each block got a softmax of its own, and the results were averaged. A block with larger scores counts for more: add up exps and "
        "products, and divide once, at the end.",
        edits=[
            (OUTPUT, "output + torch.softmax(scores, dim=-1) @ value[..., block, :]"),
            (TOTAL, "total + 1"),
        ],
    ),
    Mistake(
        "softmaxes-summed",
        "Each block got a softmax of its own, and the results were added up, so the weights of a row sum to the number of blocks. Add up "
        "exps and products, and divide once, at the end.",
        edits=[
            (OUTPUT, "output + torch.softmax(scores, dim=-1) @ value[..., block, :]"),
            (RETURN, "return output"),
        ],
    ),
    Mistake(
        "divided-in-every-block",
        "The output was divided by the total after every block, and the next block was added to that. Divide once, after the last block.",
        edits=[(OUTPUT, f"({OUTPUT}) / total"), (RETURN, "return output")],
    ),
    Mistake(
        "divided-by-the-last-sum",
        "The output was divided by the last block's sum of exps. The total is the sum over all blocks.",
        edits=[(TOTAL, "exps.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        "last-block-only",
        "Only the last block counts: each block overwrites total and output. Add to them.",
        edits=[(OUTPUT, OUTPUT.replace("output * shrink + ", "")), (TOTAL, TOTAL.replace("total * shrink + ", ""))],
    ),
    Mistake(
        "first-block-only",
        "Only the first block counts. Let the loop run to the last key.",
        edits=[(RANGE, "range(0, min(1, key.shape[-2]), block_size)")],
    ),
    Mistake(
        "short-block-lost",
        "The keys after the last full block are missing. A short block counts too: let the loop run to the last key.",
        caught_by=FIT,
        edits=[(RANGE, "range(0, key.shape[-2] // block_size * block_size, block_size)")],
    ),
    Mistake(
        "short-block-lost-after-full-ones",
        "The keys after the last full block are missing. A short block counts too: the number of blocks is rounded up.",
        caught_by=FIT,
        edits=[
            (
                RANGE,
                "range(0, key.shape[-2] // min(block_size, key.shape[-2]) * min(block_size, key.shape[-2]), block_size)",
            )
        ],
    ),
    Mistake(
        "short-block-padded",
        "The last short block was filled up with zeros, and these count as keys: their score is 0, which still has a weight. Leave them out, or "
        "set their scores to minus infinity.",
        caught_by=FIT,
        edits=[
            (
                "    for start",
                "    missing = -key.shape[-2] % block_size\n"
                "    key = torch.nn.functional.pad(key, (0, 0, 0, missing))\n"
                "    value = torch.nn.functional.pad(value, (0, 0, 0, missing))\n"
                "    for start",
            )
        ],
    ),
    Mistake(
        "short-block-refused",
        "A block size that does not divide the number of keys was refused. It is allowed: the last block is just shorter.",
        caught_by=FIT,
        edits=[("    for start", "    assert key.shape[-2] % block_size == 0\n    for start")],
    ),
    # --- the running maximum
    Mistake(
        "maximum-falls-again",
        "The maximum is always that of the newest block. When that is far lower, the correction exp(old - new) becomes "
        "infinite. Keep the largest score so far.",
        caught_by=LARGE,
        edits=[(MAXIMUM, "scores.amax(dim=-1, keepdim=True)")],
    ),
    # --- the full matrix
    Mistake(
        "full-matrix",
        "All scores were computed at once, which this exercise forbids. Compute the scores of one block, add it to total and output, then go on to "
        "the next block.",
        caught_by=PLANE,
        edits=[
            (
                "    scale = ",
                "    return torch.softmax(query @ key.mT * query.shape[-1] ** -0.5, dim=-1) @ value\n    scale = ",
            )
        ],
    ),
    Mistake(
        "block-size-ignored",
        "The blocks have a fixed size, whatever `block_size` says. In a short text one such block is the whole matrix.",
        caught_by=PLANE,
        edits=[("    scale = ", "    block_size = 32\n    scale = ")],
    ),
    # --- the attention itself
    Mistake(
        "scale-upside-down",
        "The scores are multiplied by √d where they should be divided by it.",
        edits=[("query.shape[-1] ** -0.5", "query.shape[-1] ** 0.5")],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values.",
        edits=[(OUTPUT, OUTPUT.replace("value[", "key[")), ("value.shape[-1]", "key.shape[-1]")],
    ),
    Mistake(
        "causal",
        "Later keys are hidden. Nothing is masked in this exercise.",
        edits=[
            (
                SCORES,
                f"({SCORES}).masked_fill(torch.arange(key.shape[-2])[block] > torch.arange(query.shape[-2])[:, None], -torch.inf)",
            )
        ],
    ),
    results.returned("float32-only", "output / total"),
    results.returned("detached", "output / total", "test_gradients_reach_queries_keys_and_values"),
    Mistake(
        "sums-detached",
        "The total was detached, so a part of the gradients is missing. The exps in the total depend on query and key, as those in the output do; "
        "only the maximum may be detached.",
        caught_by="test_gradients_reach_queries_keys_and_values",
        edits=[(TOTAL, f"({TOTAL}).detach()")],
    ),
    kept.from_the_last_call("tiled_attention"),
    results.returned("squeezed", "output / total"),
]
