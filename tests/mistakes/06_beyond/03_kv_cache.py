from grader.judge.authoring import Mistake, kept_in_evaluation

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
CAT_K, CAT_V = "torch.cat([past_k, k], dim=2)", "torch.cat([past_v, v], dim=2)"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
SOFTMAX = "F.softmax(scores, dim=-1)"
ROOT = "self.head_dim**0.5"
SCALE = " / " + ROOT
MERGE = "(weights @ v).transpose(1, 2).reshape(b, n, hidden_dim)"
END = "return self.o_proj(context), (k, v)"
PAST = "        past = 0\n"
VIEW = ".view(in_heads).transpose(1, 2)"
START = "        b, n, hidden_dim = x.shape\n"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'

MISTAKES = [
    # --- the cache
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cache that was passed in is not used, or stands behind the new tokens, where the mask hides it. "
        "Its keys and values go in front of the new ones.",
        caught_by=CHUNKS,
        edits=[("if cache is not None:", "if False:")],
    ),
    Mistake(
        "cache-holds-the-last-chunk",
        "The new cache holds only the newest chunk, so from the third chunk on the first tokens are forgotten. Return the joined keys "
        "and values.",
        caught_by=CHUNKS,
        edits=[
            (PAST, PAST + "        newest = (k, v)\n"),
            (END, "return self.o_proj(context), newest"),
        ],
    ),
    Mistake(
        "first-cache-kept",
        "From the second chunk on, the cache that came in was handed back unchanged, so later chunks miss what lies between. Return the "
        "joined keys and values.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else (k, v)")],
    ),
    Mistake(
        "mask-at-the-upper-left",
        "With a cache the mask starts at the upper left again, so new tokens see only the oldest ones. New token i is token past + i: "
        "move the diagonal by the number of cached tokens.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=1)")],
    ),
    Mistake(
        "no-mask-with-a-cache",
        "As soon as there is a cache, nothing is hidden. That is right for one new token, but inside a longer chunk a token must not see "
        "the ones after it.",
        caught_by=CHUNKS,
        edits=[(HIDE, "scores = scores if past else scores.masked_fill(later, -torch.inf)")],
    ),
    Mistake(
        "no-mask-at-first",
        "The first chunk is not masked. It needs the causal mask like every chunk of more than one token.",
        caught_by=ONE_PASS,
        edits=[(HIDE, "scores = scores.masked_fill(later, -torch.inf) if past else scores")],
    ),
    Mistake(
        "offset-one-too-far",
        "With a cache each new token also sees the one right after it. New token i sees the tokens 0 to past + i.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=past + 1 + (past > 0))")],
    ),
    Mistake(
        "new-tokens-hidden",
        "With a cache a new token sees only the cached ones, not itself. New token i sees the tokens 0 to past + i.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=past + (past == 0))")],
    ),
    Mistake(
        "new-tokens-in-front",
        "The new keys and values were put in front of the cached ones. Time runs on: first the cached ones, then the new ones.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([k, past_k], dim=2)"), (CAT_V, "torch.cat([v, past_v], dim=2)")],
    ),
    Mistake(
        "new-keys-in-front",
        "The new keys were put in front of the cached ones, the values behind them, so keys and values no longer belong together.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([k, past_k], dim=2)")],
    ),
    Mistake(
        "new-values-in-front",
        "The new values were put in front of the cached ones, the keys behind them, so keys and values no longer belong together.",
        caught_by=CHUNKS,
        edits=[(CAT_V, "torch.cat([v, past_v], dim=2)")],
    ),
    Mistake(
        "cached-keys-and-values-swapped",
        "Keys and values are exchanged in the cache: what was stored as one is read back as the other.",
        caught_by=CHUNKS,
        edits=[("past_k, past_v = cache", "past_v, past_k = cache")],
    ),
    Mistake(
        "keys-twice-in-the-cache",
        "The cache holds the keys twice: the cached values are missing.",
        caught_by=CHUNKS,
        edits=[("self.o_proj(context), (k, v)", "self.o_proj(context), (k, k)")],
    ),
    Mistake(
        "values-twice-in-the-cache",
        "The cache holds the values twice: the cached keys are missing.",
        caught_by=CHUNKS,
        edits=[("self.o_proj(context), (k, v)", "self.o_proj(context), (v, v)")],
    ),
    Mistake(
        "joined-along-the-wrong-axis",
        "Cached and new keys were joined along the heads or the batch. They are joined along the tokens: dimension 2 after the split "
        "into heads.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([past_k, k], dim=1)"), (CAT_V, "torch.cat([past_v, v], dim=1)")],
    ),
    Mistake(
        "only-the-cache-is-seen",
        "With a cache the new tokens see only the cached ones. They see themselves and each other too, as far as the causal mask "
        "allows.",
        caught_by=CHUNKS,
        edits=[
            (
                HIDE,
                HIDE + "\n        if past:\n            scores = scores[..., :past]",
            ),
            (MERGE, "(weights @ v[:, :, : weights.shape[-1]]).transpose(1, 2).reshape(b, n, hidden_dim)"),
        ],
    ),
    Mistake(
        "projected-again",
        "The cached keys and values went through k_proj and v_proj a second time. The cache holds them projected already.",
        caught_by=CHUNKS,
        edits=[
            (
                "            past = past_k.shape[2]\n",
                "            past = past_k.shape[2]\n"
                "            past_k = self.k_proj(past_k.transpose(1, 2).flatten(2)).unflatten(2, in_heads[2:]).transpose(1, 2)\n"
                "            past_v = self.v_proj(past_v.transpose(1, 2).flatten(2)).unflatten(2, in_heads[2:]).transpose(1, 2)\n",
            )
        ],
    ),
    Mistake(
        "changed-in-place",
        "The cache that was passed in was changed (append, update, +=, …), so nobody can continue from it a second time. Put the joined "
        "keys and values into a new cache.",
        caught_by=REUSE,
        edits=[
            ("            past_k, past_v = cache\n", "            past_k, past_v = cache[0], cache[1]\n"),
            (
                END,
                "if cache is None:\n            cache = [k, v]\n        cache[0], cache[1] = k, v\n"
                "        return self.o_proj(context), cache",
            ),
        ],
    ),
    Mistake(
        "kept-in-the-module",
        "Keys and values are kept in the module, whatever cache is passed in, so two texts read by turns get mixed up. Use the cache that "
        "comes as an argument.",
        caught_by=REUSE,
        edits=[
            (
                "            past_k, past_v = cache\n",
                "            past_k, past_v = self.kept\n",
            ),
            (END, "self.kept = (k, v)\n        return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "never-forgotten",
        "The module goes on with its last text although no cache was passed in. Without a cache a new text begins.",
        caught_by=REUSE,
        edits=[
            (START, START + '        cache = getattr(self, "kept", None)\n'),
            (END, "self.kept = (k, v)\n        return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "whole-text-returned",
        "With a cache the outputs of all tokens so far came back. `out` has the new tokens only.",
        caught_by=CHUNKS,
        edits=[
            (START, "        new = x\n        x = x if cache is None else torch.cat([cache, x], dim=1)\n" + START),
            ("if cache is not None:", "if False:"),
            (END, "return self.o_proj(context), x"),
        ],
    ),
    Mistake(
        "queries-cached-too",
        "The queries were joined with cached ones as well. Only the new tokens ask; the old ones have had their answer.",
        caught_by=CHUNKS,
        edits=[
            (
                "past_k, past_v = cache\n",
                "past_q, past_k, past_v = cache\n            q = torch.cat([past_q, q], dim=2)\n",
            ),
            (
                "torch.ones(n, past + n, dtype=torch.bool)" + OFFSET,
                "torch.ones(past + n, past + n, dtype=torch.bool).triu(1)",
            ),
            (MERGE, "(weights @ v).transpose(1, 2).reshape(b, past + n, hidden_dim)"),
            (END, "return self.o_proj(context), (q, k, v)"),
        ],
        same_as="whole-text-returned",
    ),
    Mistake(
        "only-out-returned",
        "Only `out` came back. Return the pair (out, cache), so that the next call can go on from here.",
        caught_by="test_shape_of_one_pass",
        edits=[(END, "return self.o_proj(context)")],
    ),
    Mistake(
        "pair-the-other-way-round",
        "The pair came back as (cache, out). The order is (out, cache).",
        caught_by=ONE_PASS,
        edits=[(END, "return (k, v), self.o_proj(context)")],
    ),
    # --- the attention itself
    Mistake(
        "not-causal",
        "Nothing is hidden: earlier tokens see later ones. Hide them before the softmax.",
        caught_by=ONE_PASS,
        edits=[(HIDE, "")],
    ),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it. The hidden triangle begins one step further left: diagonal=past + 1.",
        caught_by=ONE_PASS,
        edits=[(OFFSET, ".triu(diagonal=past + 2)")],
    ),
    Mistake(
        "diagonal-hidden",
        "A token does not see itself. The hidden triangle begins one step to the right: diagonal=past + 1.",
        caught_by=ONE_PASS,
        edits=[(OFFSET, ".triu(diagonal=past)")],
    ),
    Mistake(
        "mask-after-softmax",
        "The mask came after the softmax, so the visible weights no longer sum to 1. Hide the scores, then take the softmax.",
        caught_by=ONE_PASS,
        edits=[(HIDE, ""), (SOFTMAX, f"{SOFTMAX}.masked_fill(later, 0.0)")],
    ),
    Mistake(
        "no-scale",
        "The scores are not divided by √head_dim.",
        caught_by=ONE_PASS,
        edits=[(SCALE, "")],
    ),
    Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "hidden_dim**0.5")],
    ),
    Mistake(
        "divided-by-head-dim",
        "The scores are divided by head_dim, not by its root.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "self.head_dim")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=2). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by=ONE_PASS,
        edits=[(SOFTMAX, "F.softmax(scores, dim=2)")],
    ),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, v_proj(x).",
        caught_by=ONE_PASS,
        edits=[("self.v_proj(x)", "self.k_proj(x)")],
    ),
    Mistake(
        "keys-and-values-swapped",
        "k_proj and v_proj are exchanged: keys are for the scores, values for the mixture.",
        caught_by=ONE_PASS,
        edits=[("k = self.k_proj(x)", "k = self.v_proj(x)"), ("v = self.v_proj(x)", "v = self.k_proj(x)")],
    ),
    Mistake(
        "split-without-transpose",
        "x was viewed as (b, heads, n, head_dim) at once, which puts parts of several tokens into one head. View as "
        "(b, n, heads, head_dim), then swap dimensions 1 and 2.",
        caught_by=ONE_PASS,
        edits=[(VIEW, ".view(b, self.nums_head, n, self.head_dim)")],
        everywhere=True,
    ),
    Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back. First transpose(1, 2), then reshape.",
        caught_by=ONE_PASS,
        edits=[(MERGE, "(weights @ v).reshape(b, n, hidden_dim)")],
    ),
    Mistake(
        "split-and-merged-without-transpose",
        "Neither the split nor the merge swaps heads and tokens, so parts of several tokens are in one head.",
        caught_by=ONE_PASS,
        edits=[
            (VIEW, ".view(b, self.nums_head, n, self.head_dim)"),
            (MERGE, "(weights @ v).reshape(b, n, hidden_dim)"),
        ],
        everywhere=True,
    ),
    Mistake(
        "output-layer-unused",
        "o_proj is made but not used: the joined heads were returned as they are. The last step is o_proj.",
        caught_by=ONE_PASS,
        edits=[("self.o_proj(context)", "context")],
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear has one unless bias=False is given.",
        caught_by=ONE_PASS,
        edits=[("nn.Linear(hidden_dim, hidden_dim)", "nn.Linear(hidden_dim, hidden_dim, bias=False)")],
        everywhere=True,
    ),
    Mistake(
        "no-divisibility-check",
        "A hidden_dim that nums_head does not divide was accepted. Refuse it in `__init__` with an assert or a ValueError.",
        caught_by="test_sizes_that_do_not_divide_are_refused",
        edits=[(DIVIDES, "")],
    ),
    Mistake(
        "detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() cuts the way back: nothing could be trained through it.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(END, "return self.o_proj(context).detach(), (k, v)")],
    ),
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off. Keep what "
        "goes into the scores and the mixture attached.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(PAST, PAST + "        k, v = k.detach(), v.detach()\n")],
    ),
    Mistake(
        "weights-detached",
        "The weights were detached, so no gradient comes back through the softmax to queries and keys.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(SOFTMAX, f"{SOFTMAX}.detach()")],
    ),
    Mistake(
        "input-overwritten",
        "x was changed in place. The caller still needs it: work on a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(END, END.replace("return ", "out = ") + "\n        x.detach().mul_(0.5)\n        return out")],
    ),
    Mistake(
        "fill-of-minus-100",
        "What is put in for the hidden scores is not far enough below the others: a hidden token with a high score still comes through. "
        "Use -inf (or -1e9).",
        caught_by=ONE_PASS,
        edits=[(HIDE, "scores = scores.masked_fill(later, -100.0)")],
    ),
    Mistake(
        "minus-100-added",
        "What is put in for the hidden scores is not far enough below the others: a hidden token with a high score still comes through. "
        "Use -inf (or -1e9).",
        caught_by=ONE_PASS,
        edits=[(HIDE, "scores = scores - 100.0 * later")],
        same_as="fill-of-minus-100",
    ),
    kept_in_evaluation(REUSE),
]
