from grader.judge.authoring import Mistake

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
LATENTS = "test_the_cache_is_the_latents"
REUSE = "test_a_cache_can_be_used_again"
LOUD = "test_later_tokens_weigh_exactly_nothing"
CAT = "latents = torch.cat([cache, latents], dim=1)"
PAST = "past = cache.shape[1]\n"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
SOFTMAX = "F.softmax(scores, dim=-1)"
ROOT = "self.head_dim**0.5"
MERGE = "(weights @ v).transpose(1, 2).reshape(b, n, hidden_dim)"
SPLIT = ".unflatten(-1, (self.nums_head, self.head_dim)).transpose(1, 2)"
END = "return self.o_proj(context), latents"
START = "        b, n, hidden_dim = x.shape\n"
DOWN = "latents = self.kv_down(x)\n"
DIVIDES = '        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"\n'

MISTAKES = [
    # --- the latents and the cache
    Mistake(
        "keys-and-values-cached",
        "The cache holds keys and values. It should hold the latents alone, (b, past + n, latent_dim): that is what makes it small.",
        caught_by=LATENTS,
        edits=[
            (PAST, "past = cache[0].shape[2]\n"),
            (CAT, "past_k, past_v = cache"),
            (
                "        # query i",
                "        if cache is not None:\n            k, v = torch.cat([past_k, k], dim=2), torch.cat([past_v, v], dim=2)\n        # query i",
            ),
            (END, "return self.o_proj(context), (k, v)"),
        ],
    ),
    Mistake(
        "cache-in-a-tuple",
        "The cache is a tuple, list or dict with the latents in it. It should be the tensor of the latents itself.",
        caught_by=LATENTS,
        edits=[
            (PAST, "cache = cache[0]\n            past = cache.shape[1]\n"),
            (END, "return self.o_proj(context), (latents,)"),
        ],
    ),
    Mistake(
        "cache-of-inputs",
        "The cache holds the inputs x, hidden_dim wide. It should hold the latents: kv_down of them.",
        caught_by=LATENTS,
        edits=[
            (DOWN, "latents = x\n"),
            ("self.k_up(latents)", "self.k_up(self.kv_down(latents))"),
            ("self.v_up(latents)", "self.v_up(self.kv_down(latents))"),
        ],
    ),
    Mistake(
        "new-latents-in-front",
        "The latents of the new tokens were put in front of the cached ones. Time runs on: first the cached ones, then the new ones.",
        caught_by=CHUNKS,
        edits=[(CAT, "latents = torch.cat([latents, cache], dim=1)")],
    ),
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cache that was passed in is not used. Its latents go in front of the new ones.",
        caught_by=CHUNKS,
        edits=[("if cache is not None:", "if False:")],
    ),
    Mistake(
        "cache-holds-the-last-chunk",
        "The new cache holds the newest chunk only, so from the third chunk on the first tokens are forgotten. Return the joined latents.",
        caught_by=CHUNKS,
        edits=[(DOWN, DOWN + "        newest = latents\n"), (END, "return self.o_proj(context), newest")],
    ),
    Mistake(
        "first-cache-kept",
        "From the second chunk on, the cache that came in was handed back unchanged. Return the joined latents.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else latents")],
    ),
    Mistake(
        "joined-along-the-width",
        "Old and new latents were joined along their width or the batch. They are joined along the tokens: dimension 1.",
        caught_by=CHUNKS,
        edits=[(CAT, "latents = torch.cat([cache, latents], dim=2)")],
    ),
    Mistake(
        "projected-again",
        "The cached latents went through kv_down a second time. They are latents already.",
        caught_by=CHUNKS,
        edits=[
            (
                CAT,
                "latents = torch.cat([cache @ self.kv_down.weight[:, : cache.shape[-1]].T if cache.shape[-1] <= hidden_dim else cache, latents], dim=1)",
            )
        ],
    ),
    Mistake(
        "detached-cache-kept-in-the-module",
        "The latents are kept in the module, whatever cache is passed in, so two texts get mixed up. Use the cache that comes as an argument.",
        caught_by=REUSE,
        edits=[
            (CAT, "latents = torch.cat([self.kept, latents], dim=1)"),
            (PAST, "past = self.kept.shape[1]\n"),
            (END, "self.kept = latents\n        " + END),
        ],
    ),
    Mistake(
        "never-forgotten",
        "The module goes on with its last text although no cache was passed in. Without a cache a new text begins.",
        caught_by=REUSE,
        edits=[
            (START, START + '        cache = getattr(self, "kept", None) if cache is None else cache\n'),
            (END, "self.kept = latents\n        " + END),
        ],
    ),
    Mistake(
        "kept-in-evaluation",
        "A second input of the same shape gets the result of the first: something is kept from call to call. Each call computes its "
        "result from its own input.",
        caught_by=REUSE,
        edits=[
            (
                START,
                START + "        shapes = x.shape, cache if cache is None else cache.shape\n"
                '        if not self.training and getattr(self, "shapes", None) == shapes:\n            return self.kept\n',
            ),
            (END, "self.shapes, self.kept = shapes, (self.o_proj(context), latents)\n        return self.kept"),
        ],
    ),
    Mistake(
        "changed-in-place",
        "The cache that was passed in was changed, so nobody can continue from it a second time. Put the joined latents into a new tensor.",
        caught_by=REUSE,
        edits=[(CAT, CAT + "\n            cache.detach().zero_()")],
    ),
    Mistake(
        "only-out-returned",
        "Only `out` came back. Return the pair (out, cache), so that the next call can go on from here.",
        caught_by="test_shapes_of_one_pass",
        edits=[(END, "return self.o_proj(context)")],
    ),
    Mistake(
        "pair-the-other-way-round",
        "The pair came back as (cache, out). The order is (out, cache).",
        caught_by=ONE_PASS,
        edits=[(END, "return latents, self.o_proj(context)")],
    ),
    # --- keys and values out of the latents
    Mistake(
        "ups-exchanged",
        "k_up and v_up are exchanged: keys are for the scores, values for the mixture.",
        caught_by=ONE_PASS,
        edits=[
            ("k = self.k_up(latents)", "k = self.v_up(latents)"),
            ("v = self.v_up(latents)", "v = self.k_up(latents)"),
        ],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values, v_up(latents).",
        caught_by=ONE_PASS,
        edits=[("self.v_up(latents)", "self.k_up(latents)")],
    ),
    Mistake(
        "values-as-keys",
        "The queries were compared with the values. They are compared with the keys, k_up(latents).",
        caught_by=ONE_PASS,
        edits=[("self.k_up(latents)", "self.v_up(latents)")],
    ),
    Mistake(
        "queries-from-latents",
        "The queries were made out of the latents, too. They are q_proj(x): only keys and values pass through the narrow place.",
        caught_by=ONE_PASS,
        edits=[
            (
                "q = self.q_proj(x)",
                "q = self.q_proj(F.pad(latents[:, past:], (0, max(0, hidden_dim - latents.shape[-1])))[..., :hidden_dim])",
            )
        ],
    ),
    Mistake(
        "latents-bent",
        "Something stands between kv_down and the ups (a ReLU, GELU, norm). There is nothing: both are linear.",
        caught_by=ONE_PASS,
        edits=[(DOWN, "latents = F.relu(self.kv_down(x))\n")],
    ),
    # --- the mask
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
        "new-tokens-hidden",
        "With a cache a new token sees only the cached ones, not itself. New token i sees the tokens 0 to past + i.",
        caught_by=CHUNKS,
        edits=[(OFFSET, ".triu(diagonal=past + (past == 0))")],
    ),
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
        "mask-after-softmax",
        "The mask came after the softmax, so the visible weights no longer sum to 1. Hide the scores, then take the softmax.",
        caught_by=ONE_PASS,
        edits=[(HIDE, ""), (SOFTMAX, f"{SOFTMAX}.masked_fill(later, 0.0)")],
    ),
    Mistake(
        "filled-with-minus-100",
        "Hidden scores were set to -100. Where visible scores are low, too, a hidden token is still heard: minus infinity.",
        caught_by=LOUD,
        edits=[("-torch.inf", "-100.0")],
    ),
    Mistake(
        "minus-100-added",
        "100 was taken off hidden scores. A score that is far above the others is still heard: minus infinity.",
        caught_by=LOUD,
        edits=[(HIDE, "scores = scores - 100.0 * later")],
    ),
    # --- the attention
    Mistake(
        "no-scale",
        "The scores are not divided by √head_dim.",
        caught_by=ONE_PASS,
        edits=[(" / " + ROOT, "")],
    ),
    Mistake(
        "scale-from-latent-dim",
        "The scores are divided by √latent_dim. What is compared is head_dim wide: √head_dim.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "self.kv_down.out_features**0.5")],
    ),
    Mistake(
        "scale-from-hidden-dim",
        "The scores are divided by √hidden_dim. A head compares vectors of width head_dim, so it is √head_dim.",
        caught_by=ONE_PASS,
        edits=[(ROOT, "hidden_dim**0.5")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the query axis (dim=2). Each query spreads its weight over the keys: the last axis, dim=-1.",
        caught_by=ONE_PASS,
        edits=[(SOFTMAX, "F.softmax(scores, dim=2)")],
    ),
    Mistake(
        "split-interleaved",
        "The heads were split with head_dim in front (…, head_dim, heads). Each head is a run of neighbours: (…, heads, head_dim).",
        caught_by=ONE_PASS,
        edits=[(SPLIT, ".unflatten(-1, (self.head_dim, self.nums_head)).permute(0, 3, 1, 2)")],
        everywhere=True,
    ),
    Mistake(
        "one-head",
        "There is only one head of the whole width. Split q, k and v into nums_head heads.",
        caught_by=ONE_PASS,
        edits=[
            ("self.nums_head = nums_head", "self.nums_head = 1"),
            ("self.head_dim = hidden_dim // nums_head", "self.head_dim = hidden_dim"),
        ],
    ),
    Mistake(
        "merge-without-transpose",
        "The heads were joined without swapping heads and tokens back. First transpose(1, 2), then reshape.",
        caught_by=ONE_PASS,
        edits=[(MERGE, "(weights @ v).reshape(b, n, hidden_dim)")],
    ),
    Mistake(
        "output-layer-unused",
        "o_proj is made but not used: the joined heads were returned as they are. The last step is o_proj.",
        caught_by=ONE_PASS,
        edits=[("self.o_proj(context)", "context")],
    ),
    # --- the layers
    Mistake(
        "with-bias",
        "The layers have a bias. Here they have none: bias=False.",
        caught_by=ONE_PASS,
        edits=[(", bias=False", "")],
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
        edits=[(END, "return self.o_proj(context).detach(), latents")],
    ),
    Mistake(
        "latents-detached",
        "No gradient comes back through the latents: .detach(), .data or torch.no_grad() cuts it off. Those of new tokens stay attached.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(DOWN, "latents = self.kv_down(x).detach()\n")],
    ),
    Mistake(
        "input-overwritten",
        "x was changed in place. The caller still needs it: work on a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(END, "out = self.o_proj(context)\n        x.detach().mul_(0.5)\n        return out, latents")],
    ),
]
