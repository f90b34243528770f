"""The causal mask that a module keeps as a buffer and crops in forward: `self.mask[:n, :n]`.

main  the check that compares with the formula
"""

from grader.judge.authoring import Mistake

MASK = "self.mask[:n, :n]"
FILL = f"{MASK}, -torch.inf"
HIDE = f"scores = scores.masked_fill({FILL})"
WEIGHTS = "weights = F.softmax(scores, dim=-1)"
BUFFER = 'self.register_buffer("mask", later)'
NEXT = "\n        "
LONGER = "test_context_may_be_longer_than_the_input"
BUFFERED = "test_mask_is_a_buffer"
INVERTED = (
    "The mask is used the wrong way round: what should be seen is hidden. True (or 1) above the diagonal means hidden."
)
NOT_CROPPED = "The mask is used whole, so only inputs of exactly context_length tokens fit. Crop it: mask[:num_tokens, :num_tokens]."

FAMILY = [
    Mistake(
        "no-softmax",
        "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, 0.0"), ("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "no-mask",
        "Nothing is hidden: every token sees the later ones. Fill their scores with -inf before the softmax.",
        caught_by="$main",
        edits=[(HIDE, "")],
    ),
    Mistake(
        "own-token-hidden",
        "Each token hides itself as well (diagonal=0), and the first one has no token left to look at. Begin at diagonal=1.",
        caught_by="$main",
        edits=[("diagonal=1", "diagonal=0")],
    ),
    Mistake(
        "next-token-seen",
        "Each token still sees the next one (diagonal=2). Begin at diagonal=1.",
        caught_by="$main",
        edits=[("diagonal=1", "diagonal=2")],
    ),
    Mistake(
        "past-hidden",
        "The earlier tokens are hidden and the later ones seen (tril). Hide the upper triangle.",
        caught_by="$main",
        edits=[("torch.triu(", "torch.tril("), ("diagonal=1", "diagonal=-1")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "Only `triu` was exchanged for `tril`, so each token and the next one are hidden with the past. Keep the upper triangle.",
        caught_by="$main",
        edits=[("torch.triu(", "torch.tril(")],
    ),
    Mistake("mask-inverted", INVERTED, caught_by="$main", edits=[(FILL, f"~{FILL}")]),
    Mistake("mask-inverted-finite", INVERTED, caught_by="$main", edits=[(FILL, f"~{MASK}, -1e9")]),
    Mistake(
        "mask-inverted-fused",
        'The mask is used the wrong way round. scaled_dot_product_attention, for one, reads True as "may be seen", where our mask means '
        "hidden: give it the inverted mask, or is_causal=True.",
        caught_by="$main",
        edits=[(FILL, f"~{FILL}"), (WEIGHTS, f"{WEIGHTS}.nan_to_num(0.0)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask was applied after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
        caught_by="$main",
        edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({MASK}, 0.0)")],
    ),
    Mistake(
        "infinity-after-softmax",
        "The weights were filled with -inf after the softmax. Hide the scores, before it.",
        caught_by="$main",
        edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({FILL})")],
    ),
    Mistake(
        "filled-with-zero",
        "The hidden scores were set to 0, and exp(0) is 1: they still get a weight. Fill them with -inf.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, 0.0")],
    ),
    Mistake(
        "filled-with-almost-zero",
        "The hidden scores were filled with a tiny number such as 1e-9 (-1e9 was meant?). They still get a weight.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, 1e-9")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "mask-added",
        "The mask of ones was added to the scores, which hides nothing. What is added must be -inf above the diagonal.",
        caught_by="$main",
        edits=[(HIDE, f"scores = scores + {MASK}")],
    ),
    Mistake(
        "mask-times-infinity",
        "All is NaN: a triangle of ones was multiplied by -inf (0 · inf is NaN), or every score is hidden. Use masked_fill, with True above the diagonal only.",
        caught_by="$main",
        edits=[(HIDE, f"scores = scores + {MASK} * -torch.inf")],
    ),
    Mistake(
        "mask-result-dropped",
        "masked_fill returns a new tensor, and that was not kept. Assign it, or use masked_fill_ (with an underscore).",
        caught_by="$main",
        edits=[(HIDE, HIDE.removeprefix("scores = "))],
        same_as="no-mask",
    ),
    Mistake("mask-not-cropped", NOT_CROPPED, caught_by=LONGER, edits=[(MASK, "self.mask")]),
    Mistake(
        "mask-not-cropped-in-place",
        NOT_CROPPED,
        caught_by=LONGER,
        edits=[(HIDE, "scores.masked_fill_(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-not-cropped-and-added",
        NOT_CROPPED,
        caught_by=LONGER,
        edits=[(HIDE, "scores = scores + torch.zeros_like(self.mask).float().masked_fill(self.mask, -torch.inf)")],
        same_as="mask-not-cropped",
    ),
    Mistake(
        "mask-cropped-for-good",
        "The cropped mask was stored in self.mask, so a longer input no longer fits afterwards. Crop into a local variable.",
        caught_by="test_calls_of_one_module_do_not_disturb_each_other",
        edits=[(HIDE, f"self.mask = {MASK}{NEXT}{HIDE}")],
    ),
    Mistake(
        "mask-not-a-buffer",
        "The mask is a plain attribute: it would stay behind when the module moves to a GPU. Use register_buffer.",
        caught_by=BUFFERED,
        edits=[(BUFFER, "self.mask = later")],
    ),
    Mistake(
        "mask-under-another-name",
        "The buffer is there, but not under the name `mask`. Call it so.",
        caught_by=BUFFERED,
        edits=[(BUFFER, BUFFER.replace("mask", "causal_mask")), ("self.mask[", "self.causal_mask[")],
        same_as="mask-not-a-buffer",
    ),
    Mistake(
        "mask-cropped-at-the-right",
        "The last columns of the mask were used. A shorter input needs the upper left corner.",
        caught_by=LONGER,
        edits=[(MASK, "self.mask[:n, -n:]")],
    ),
    Mistake(
        "filled-with-plus-infinity",
        "Every row that hides something is NaN, as when hidden scores are filled with +inf. Fill them with minus infinity: -torch.inf.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, torch.inf")],
    ),
    Mistake(
        "filled-with-plus-1e9",
        "The hidden scores were filled with a very high number, so only the later tokens are seen. Fill them with minus infinity.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, 1e9")],
    ),
    Mistake(
        "filled-with-minus-one",
        "The hidden scores were filled with -1, so later tokens still get a weight. Fill them with minus infinity.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, -1.0")],
    ),
    Mistake(
        "mask-transposed",
        "The mask was transposed, so the earlier tokens are hidden and the later ones seen. Use it as it is: rows ask, columns answer.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}.T, -torch.inf")],
        same_as="past-hidden",
    ),
    Mistake(
        "past-hidden-finite",
        "The earlier tokens are hidden and the later ones seen (tril, or a transposed mask). Hide the upper triangle.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}.T, -1e9")],
        same_as="past-hidden",
    ),
    Mistake(
        "masked-scores-made-zero",
        "The scores were multiplied with a triangle of ones and zeros. A hidden score of 0 still gets a weight, for exp(0) is 1. Fill in -inf.",
        caught_by="$main",
        edits=[(HIDE, f"scores = scores * ~{MASK}")],
        same_as="filled-with-zero",
    ),
    Mistake(
        "visible-scores-made-zero",
        "The scores were multiplied with the mask of hidden places, so the visible ones became 0. Fill the hidden ones with -inf.",
        caught_by="$main",
        edits=[(HIDE, f"scores = scores * {MASK}")],
    ),
    Mistake(
        "no-softmax-and-minus-1e9",
        "There is no softmax: the scores, a large negative number for the hidden ones, were used as weights. Take the softmax over the keys.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, -1e9"), ("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "no-softmax-and-lowest-number",
        "There is no softmax: the scores, the lowest number for the hidden ones, were used as weights. Take the softmax over the keys.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, torch.finfo(scores.dtype).min"), ("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "filled-with-minus-ten",
        "The hidden scores were filled with -10, which is not far enough below the others, so later tokens keep some weight. Use -inf.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, -10.0")],
    ),
    Mistake(
        "no-softmax-finite",
        "There is no softmax: the scores, -1e9 or so for the hidden ones, were used as weights. Take the softmax over the keys, dim=-1.",
        caught_by="$main",
        edits=[(FILL, f"{MASK}, -1e9"), ("F.softmax(scores, dim=-1)", "scores")],
    ),
    Mistake(
        "hidden-then-divided-over-queries",
        "After the mask the weights were divided by sums over the queries (dim=-2), so columns sum to 1. Each row must: sum over the keys, dim=-1.",
        caught_by="$main",
        edits=[
            (HIDE, ""),
            (
                WEIGHTS,
                f"{WEIGHTS}.masked_fill({MASK}, 0.0){NEXT}weights = weights / weights.sum(dim=-2, keepdim=True)",
            ),
        ],
    ),
    Mistake(
        "softmax-of-the-visible-twice",
        "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
        caught_by="$main",
        edits=[(WEIGHTS, f"{WEIGHTS}{NEXT}weights = F.softmax(weights.masked_fill({FILL}), dim=-1)")],
    ),
    Mistake(
        "softmax-over-queries-before-the-mask",
        "The softmax runs over the queries, before the mask; the weights left were divided by their sums. Each query spreads its weight over the "
        "keys: dim=-1.",
        caught_by="$main",
        edits=[
            (HIDE, ""),
            (
                WEIGHTS,
                f"weights = F.softmax(scores, dim=-2).masked_fill({MASK}, 0.0){NEXT}weights = weights / weights.sum(dim=-1, keepdim=True)",
            ),
        ],
    ),
    Mistake(
        "minus-ten-added",
        "10 was taken off the hidden scores, which is not far enough below the others, so later tokens keep some weight. Use -inf.",
        caught_by="$main",
        edits=[(HIDE, f"scores = scores - 10.0 * {MASK}")],
    ),
]
