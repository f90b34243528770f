from families import kept, results

from grader.judge.authoring import Mistake

TRANSPOSED = "a.transpose(2, 3)"
PRODUCT = f"a @ {TRANSPOSED}"
RETURN = f"return {PRODUCT}"
FIRST_TWO = "The axes are batch, head, token, width, counted from 0. Exchange the last two: transpose(2, 3), or transpose(-2, -1)."

MISTAKES = [
    Mistake(
        "transpose-1-2",
        "transpose(1, 2) exchanges heads and tokens: an error for most sizes, wrong numbers for the others. "
        + FIRST_TWO,
        edits=[("transpose(2, 3)", "transpose(1, 2)")],
    ),
    Mistake(
        "heads-and-tokens-exchanged",
        "transpose(1, 2) put the tokens in front of the heads on both sides, so the heads of one token are compared: (b, n, h, h). a has its "
        "heads in front already. " + FIRST_TWO,
        edits=[(RETURN, "a = a.transpose(1, 2)\n    " + RETURN)],
    ),
    Mistake(
        "reshaped-to-the-transposed-shape",
        "The transposed shape was made by reshape or view. That keeps the numbers in their old order, in rows of another length; transpose(2, 3) exchanges the axes.",
        edits=[(TRANSPOSED, "a.reshape(a.shape[0], a.shape[1], a.shape[3], a.shape[2])")],
    ),
    Mistake(
        "elementwise",
        "a was multiplied with itself number by number. Every token has to meet every token: take a matrix product, @.",
        edits=[(RETURN, "return a * a")],
    ),
    Mistake(
        "own-product-only",
        "Each token was compared with itself only. Every token meets every token of its head: (n, n) scores for each head.",
        edits=[(RETURN, "return (a * a).sum(dim=-1)")],
    ),
    Mistake(
        "not-transposed",
        "a went into the product as it is, twice. On the right side the last two axes change places: transpose(2, 3).",
        edits=[(PRODUCT, "a @ a")],
    ),
    Mistake(
        "columns-compared",
        "The left side was transposed instead of the right one, so columns are compared, (d, d). Tokens are compared: (n, n).",
        edits=[(PRODUCT, f"{TRANSPOSED} @ a")],
    ),
    Mistake(
        "all-axes-reversed",
        "`.T` reverses all four axes, batch and heads too. Exchange only the last two: transpose(2, 3).",
        edits=[(TRANSPOSED, "a.permute(3, 2, 1, 0)")],
    ),
    Mistake(
        "transpose-0-1",
        "transpose(0, 1) exchanges batch and heads. " + FIRST_TWO,
        edits=[("transpose(2, 3)", "transpose(0, 1)")],
    ),
    Mistake(
        "scaled",
        "The scores are divided by √d. That comes later: here the bare products are asked for.",
        edits=[(RETURN, f"{RETURN} / a.shape[-1] ** 0.5")],
    ),
    Mistake(
        "softmax-already",
        "These are weights: a softmax was taken of the scores. Here the bare products are asked for.",
        edits=[(RETURN, f"return ({PRODUCT}).softmax(dim=-1)")],
    ),
    Mistake(
        "context-returned",
        "The scores were applied to a once more, which gives one vector for each token. Here the scores themselves are asked for.",
        edits=[(RETURN, f"{RETURN} @ a")],
    ),
    Mistake(
        "cosine",
        "This is the cosine of the angle: the products were divided by the vectors' lengths. Here the bare products are asked for.",
        edits=[(RETURN, "a = a / a.norm(dim=-1, keepdim=True)\n    " + RETURN)],
    ),
    Mistake(
        "later-tokens-hidden",
        "The products with later tokens were set to 0. There is no mask here: every token meets every token of its head.",
        edits=[(RETURN, f"return ({PRODUCT}).tril()")],
    ),
    Mistake(
        "heads-summed",
        "The scores of all heads were added up. Each head keeps its own: (batch, heads, tokens, tokens).",
        edits=[(RETURN, f"return ({PRODUCT}).sum(dim=1)")],
    ),
    Mistake(
        "heads-summed-and-copied",
        "The products are summed over the heads too, and each head got the same sum. With einsum, an axis that the result "
        "does not name is summed up: name the head there, and give both inputs the same letter for it.",
        edits=[
            (
                RETURN,
                "whole = a.sum(dim=1, keepdim=True)\n    return (whole @ whole.transpose(2, 3)).expand(-1, a.shape[1], -1, -1)",
            )
        ],
    ),
    Mistake(
        "heads-compared-with-all",
        "Every head was compared with all heads together. Each head is compared with itself only.",
        edits=[(TRANSPOSED, "a.sum(dim=1, keepdim=True).transpose(2, 3)")],
    ),
    Mistake(
        "first-head-only",
        "Only the scores of the first head are there. One product of the whole a handles all of them.",
        edits=[(RETURN, f"return ({PRODUCT})[:, 0]")],
    ),
    Mistake(
        "batch-lost",
        "The axis of the batch is gone, and with it all sequences but the first. The result is (batch, heads, tokens, tokens).",
        edits=[(RETURN, f"return ({PRODUCT})[0]")],
    ),
    Mistake(
        "heads-joined-to-batch",
        "Batch and heads were joined into one axis. Keep them apart: (batch, heads, tokens, tokens).",
        edits=[(RETURN, f"return ({PRODUCT}).flatten(0, 1)")],
    ),
    Mistake(
        "list-of-heads",
        "The scores came as a list or tuple, head by head. Stack them into one tensor, with the heads as axis 1.",
        edits=[(RETURN, f"return ({PRODUCT}).unbind(1)")],
    ),
    results.returned("squeezed", "a @ a.transpose(2, 3)"),
    results.returned("float32-only", "a @ a.transpose(2, 3)"),
    results.input_overwritten(PRODUCT, "a"),
    results.returned("detached", "a @ a.transpose(2, 3)", "test_gradients_reach_the_input"),
    kept.from_the_last_call("head_scores"),
]
