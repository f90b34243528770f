"""Causal attention with projections q, k, v and a last layer o_proj, in one pass or after a cache.

Later tokens are hidden by `scores = scores.masked_fill(later, -torch.inf)`; with a cache the triangle begins at past + 1.
"""

from grader.judge.authoring import Mistake

HIDE = "scores = scores.masked_fill(later, -torch.inf)"
SOFTMAX = "F.softmax(scores, dim=-1)"
TRIANGLE = ".triu(diagonal=past + 1)"
START = "        b, n, hidden_dim = x.shape\n"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
LOUD = "test_later_tokens_weigh_exactly_nothing"
INVERTED = "The mask is used the wrong way round: earlier tokens are hidden, and later ones seen. Hide what is later."


def later_tokens() -> list[Mistake]:
    """Later tokens are seen, or hidden in another way."""
    return [
        Mistake(
            "not-causal",
            "Nothing is hidden: earlier tokens see later ones. Hide them before the softmax. masked_fill returns a new tensor: keep it.",
            edits=[(HIDE, "")],
        ),
        Mistake(
            "mask-after-softmax",
            "The mask came after the softmax, so the visible weights no longer sum to 1. Hide the scores, then take the softmax.",
            edits=[(HIDE, ""), (SOFTMAX, f"{SOFTMAX}.masked_fill(later, 0.0)")],
        ),
        Mistake(
            "filled-with-zero",
            "The hidden scores were set to 0, and exp(0) is 1: they still get a weight. Fill them with minus infinity.",
            edits=[("-torch.inf", "0.0")],
        ),
        Mistake("mask-inverted", INVERTED, edits=[("fill(later, -torch.inf)", "fill(~later, -torch.inf)")]),
        Mistake("mask-inverted-finite", INVERTED, edits=[("fill(later, -torch.inf)", "fill(~later, -1e9)")]),
        Mistake(
            "filled-with-minus-ten",
            "The hidden scores were filled with -10, which is not far enough below the others, so later tokens keep some weight. Use -inf.",
            edits=[("-torch.inf", "-10.0")],
        ),
        Mistake(
            "filled-with-plus-infinity",
            "Every row that hides something is NaN, as when hidden scores are filled with +inf. Fill them with minus infinity: -torch.inf.",
            edits=[("-torch.inf", "torch.inf")],
        ),
        Mistake(
            "no-softmax-finite",
            "There is no softmax: the scores, -1e9 or so for the hidden ones, were used as weights. Take the softmax over the keys, dim=-1.",
            edits=[("-torch.inf", "-1e9"), (SOFTMAX, "scores")],
        ),
    ]


def weakly_hidden() -> Mistake:
    """The hidden scores are only 100 lower."""
    return Mistake(
        "filled-with-minus-100",
        "Hidden scores were set to -100. Where the visible scores are as low as that, a hidden token still gets weight. Use minus infinity.",
        caught_by=LOUD,
        edits=[("-torch.inf", "-100.0")],
    )


def diagonal() -> list[Mistake]:
    """The triangle begins one step to the left or right, or is turned round."""
    return [
        Mistake(
            "next-token-visible",
            "Each token sees the one right after it. The hidden triangle begins one column further left: diagonal=past + 1.",
            edits=[(TRIANGLE, ".triu(diagonal=past + 2)")],
        ),
        Mistake(
            "own-token-hidden",
            "A token does not see itself. The hidden triangle begins one step to the right: diagonal=past + 1.",
            edits=[(TRIANGLE, ".triu(diagonal=past)")],
        ),
        Mistake(
            "lower-triangle-and-next",
            "`tril` hides the earlier tokens, and each token and the next one with them. Later tokens are the upper triangle: `triu`.",
            edits=[(TRIANGLE, ".tril(diagonal=past + 1)")],
        ),
    ]


def places() -> list[Mistake]:
    """With a cache, tokens are taken to be in another place of the text."""
    return [
        Mistake(
            "mask-at-the-upper-left",
            "With a cache the mask starts at the upper left again, so new token i sees only the tokens 0 to i of the whole text. It is token past + i: "
            "move the diagonal by the number of cached tokens.",
            caught_by=CHUNKS,
            edits=[(TRIANGLE, ".triu(diagonal=1)")],
        ),
        Mistake(
            "no-mask-with-a-cache",
            "As soon as there is a cache, nothing is hidden. That is right for one new token, but inside a longer chunk a token must not see "
            "the ones after it.",
            caught_by=CHUNKS,
            edits=[(HIDE, "scores = scores if past else scores.masked_fill(later, -torch.inf)")],
        ),
        Mistake(
            "new-tokens-hidden",
            "With a cache a new token does not see itself. New token i is token past + i, and sees the tokens 0 to past + i.",
            caught_by=CHUNKS,
            edits=[(TRIANGLE, ".triu(diagonal=past + (past == 0))")],
        ),
    ]


def keys_and_values_cached(*, cache: str = "(k, v)") -> list[Mistake]:
    """A cache of keys and values, put together wrongly."""
    end = f"return self.o_proj(context), {cache}"
    return [
        Mistake(
            "new-tokens-in-front",
            "The new keys and values were put in front of the cached ones. Keep the order of the text: first the cached ones, then the new ones.",
            caught_by=CHUNKS,
            edits=[
                ("torch.cat([past_k, k], dim=2)", "torch.cat([k, past_k], dim=2)"),
                ("torch.cat([past_v, v], dim=2)", "torch.cat([v, past_v], dim=2)"),
            ],
        ),
        Mistake(
            "changed-in-place",
            "The cache that was passed in was changed (append, update, +=, …), so no second text can continue from it. Put the joined "
            "keys and values into a new cache.",
            caught_by=REUSE,
            edits=[
                ("            past_k, past_v = cache\n", "            past_k, past_v = cache[0], cache[1]\n"),
                (
                    end,
                    "if cache is None:\n            cache = [k, v]\n        cache[0], cache[1] = k, v\n"
                    "        return self.o_proj(context), cache",
                ),
            ],
        ),
    ]


def pair(*, cache: str = "(k, v)", shape_check: str = "test_shape_of_one_pass") -> list[Mistake]:
    """The pair (out, cache) comes back in another way."""
    end = f"return self.o_proj(context), {cache}"
    return [
        Mistake(
            "only-out-returned",
            "Only `out` came back. Return the pair (out, cache), so that the next call can go on from here.",
            caught_by=shape_check,
            edits=[(end, "return self.o_proj(context)")],
        ),
        Mistake(
            "pair-the-other-way-round",
            "The pair came back as (cache, out). The order is (out, cache).",
            edits=[(end, f"return {cache}, self.o_proj(context)")],
        ),
    ]


def kept(*, cache: str = "(k, v)", length_of_the_cache: str) -> Mistake:
    """A result is kept from call to call. `length_of_the_cache`: what tells how long a cache is."""
    end = f"return self.o_proj(context), {cache}"
    return Mistake(
        "kept-in-evaluation",
        "A second input of the same shape gets the result of the first: a result is kept from call to call. Each call computes its "
        "result from its own input.",
        caught_by=REUSE,
        edits=[
            (
                START,
                START + f"        shapes = x.shape, cache if cache is None else {length_of_the_cache}\n"
                '        if not self.training and getattr(self, "shapes", None) == shapes:\n            return self.kept\n',
            ),
            (end, f"self.shapes, self.kept = shapes, (self.o_proj(context), {cache})\n        return self.kept"),
        ],
    )


def last_line(*, cache: str = "(k, v)") -> list[Mistake]:
    """The last layer is left out, or something done to the result or the input."""
    end = f"return self.o_proj(context), {cache}"
    return [
        Mistake(
            "output-layer-unused",
            "o_proj is made but not used: the joined heads were returned as they are. The last step is o_proj.",
            edits=[("self.o_proj(context)", "context")],
        ),
        Mistake(
            "residual-added",
            "x was added to the result. That belongs to the block around the attention, not into it.",
            edits=[(end, f"return self.o_proj(context) + x, {cache}")],
        ),
        Mistake(
            "detached",
            "The numbers are right, but no gradient comes back: .detach(), .data or torch.no_grad() cuts it off, so nothing could be trained.",
            caught_by="test_gradients_reach_input_and_parameters",
            edits=[(end, f"return self.o_proj(context).detach(), {cache}")],
        ),
    ]


def input_overwritten(*, cache: str = "(k, v)") -> Mistake:
    """The input is changed."""
    end = f"return self.o_proj(context), {cache}"
    return Mistake(
        "input-overwritten",
        "x was changed in place. The caller still needs it: work on a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(end, f"out = self.o_proj(context)\n        x.detach().mul_(0.5)\n        return out, {cache}")],
    )
