"""The causal mask that a module keeps as a buffer and crops in forward: `self.mask[:n, :n]`."""

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


def mistakes() -> list[Mistake]:
    """The mask is left out, upside down, put in another place, not cropped, or no buffer."""
    return [
        Mistake(
            "no-mask",
            "Nothing is hidden: every token sees the later ones. Fill their scores with -inf before the softmax. masked_fill returns a new "
            "tensor: keep it, or use masked_fill_.",
            edits=[(HIDE, "")],
        ),
        Mistake(
            "mask-after-softmax",
            "The mask was applied after the softmax, so the weights that are left do not sum to 1. Hide the scores before it.",
            edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({MASK}, 0.0)")],
        ),
        Mistake("mask-inverted", INVERTED, edits=[(FILL, f"~{FILL}")]),
        Mistake(
            "mask-inverted-fused",
            'The mask is used the wrong way round. scaled_dot_product_attention, for one, reads True as "may be seen", where our mask means '
            "hidden: give it the inverted mask, or is_causal=True.",
            edits=[(FILL, f"~{FILL}"), (WEIGHTS, f"{WEIGHTS}.nan_to_num(0.0)")],
        ),
        Mistake("mask-inverted-finite", INVERTED, edits=[(FILL, f"~{MASK}, -1e9")]),
        Mistake(
            "past-hidden",
            "The earlier tokens are hidden and the later ones seen (tril). Hide the upper triangle.",
            edits=[("torch.triu(", "torch.tril("), ("diagonal=1", "diagonal=-1")],
        ),
        Mistake(
            "lower-triangle-and-next",
            "Only `triu` was exchanged for `tril`, so each token and the next one are hidden with the past. Keep the upper triangle.",
            edits=[("torch.triu(", "torch.tril(")],
        ),
        Mistake(
            "own-token-hidden",
            "Each token hides itself as well (diagonal=0), and the first one has no token left to look at. Begin at diagonal=1.",
            edits=[("diagonal=1", "diagonal=0")],
        ),
        Mistake(
            "next-token-seen",
            "Each token still sees the next one (diagonal=2). Begin at diagonal=1.",
            edits=[("diagonal=1", "diagonal=2")],
        ),
        Mistake(
            "filled-with-zero",
            "The hidden scores were set to 0, and exp(0) is 1: they still get a weight. Fill them with -inf.",
            edits=[(FILL, f"{MASK}, 0.0")],
        ),
        Mistake(
            "filled-with-plus-infinity",
            "Every row that hides something is NaN, as when hidden scores are filled with +inf. Fill them with minus infinity: -torch.inf.",
            edits=[(FILL, f"{MASK}, torch.inf")],
        ),
        Mistake(
            "mask-added",
            "The mask of ones was added to the scores, which hides nothing. What is added must be -inf above the diagonal.",
            edits=[(HIDE, f"scores = scores + {MASK}")],
        ),
        Mistake(
            "scores-times-mask",
            "The scores were multiplied by the mask, which makes some of them 0 and hides nothing. Fill the hidden ones with -inf.",
            edits=[(HIDE, f"scores = scores * {MASK}")],
        ),
        Mistake(
            "mask-times-infinity",
            "All is NaN: a triangle of ones was multiplied by -inf (0 · inf is NaN), or every score is hidden. Use masked_fill, with True above the diagonal only.",
            edits=[(HIDE, f"scores = scores + {MASK} * -torch.inf")],
        ),
        Mistake(
            "infinity-after-softmax",
            "The weights were filled with -inf after the softmax. Hide the scores, before it.",
            edits=[(HIDE, ""), (WEIGHTS, f"{WEIGHTS}.masked_fill({FILL})")],
        ),
        Mistake(
            "no-softmax",
            "There is no softmax: the scores themselves were used as weights. Take the softmax over the keys, dim=-1.",
            edits=[(FILL, f"{MASK}, 0.0"), ("F.softmax(scores, dim=-1)", "scores")],
        ),
        Mistake("mask-not-cropped", NOT_CROPPED, caught_by=LONGER, edits=[(MASK, "self.mask")]),
        Mistake(
            "mask-cropped-for-good",
            "The cropped mask was stored in self.mask, so a longer input no longer fits afterwards. Crop into a local variable.",
            caught_by="test_calls_of_one_module_do_not_disturb_each_other",
            edits=[(HIDE, f"self.mask = {MASK}{NEXT}{HIDE}")],
        ),
        Mistake(
            "mask-not-a-buffer",
            "The mask is no buffer: as a plain attribute, or made anew in forward, it does not move to a GPU with the module. Use register_buffer in __init__.",
            caught_by=BUFFERED,
            edits=[(BUFFER, "self.mask = later")],
        ),
    ]
