from families import decoder, head_projections, heads, layers, results, scale, softmax

from grader.judge.authoring import Mistake

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
LATENTS = "test_the_cache_is_the_latents"
REUSE = "test_a_cache_can_be_used_again"
CAT = "latents = torch.cat([cache, latents], dim=1)"
PAST = "past = cache.shape[1]\n"
ROOT = "self.head_dim**0.5"
SPLIT = ".unflatten(-1, (self.nums_head, self.head_dim)).transpose(1, 2)"
END = "return self.o_proj(context), latents"
START = "        b, n, hidden_dim = x.shape\n"
DOWN = "latents = self.kv_down(x)\n"


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
        "cache-of-inputs",
        "The cache holds the inputs x, hidden_dim wide. It should hold the latents, kv_down(x), latent_dim wide.",
        caught_by=LATENTS,
        edits=[
            (DOWN, "latents = x\n"),
            ("self.k_up(latents)", "self.k_up(self.kv_down(latents))"),
            ("self.v_up(latents)", "self.v_up(self.kv_down(latents))"),
        ],
    ),
    Mistake(
        "new-latents-in-front",
        "The latents of the new tokens were put in front of the cached ones. Keep the order of the text: first the cached ones, then the new ones.",
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
        "From the second chunk on, the cache that came in was returned unchanged. Return the joined latents.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else latents")],
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
    decoder.kept(cache="latents", length_of_the_cache="cache.shape"),
    Mistake(
        "changed-in-place",
        "The cache that was passed in was changed, so no second text can continue from it. Put the joined latents into a new tensor.",
        caught_by=REUSE,
        edits=[(CAT, CAT + "\n            cache.detach().zero_()")],
    ),
    *decoder.pair(cache="latents", shape_check="test_shapes_of_one_pass"),
    # --- keys and values out of the latents
    Mistake(
        "ups-exchanged",
        "k_up and v_up are exchanged: keys are for the scores, values for the mixture.",
        edits=[
            ("k = self.k_up(latents)", "k = self.v_up(latents)"),
            ("v = self.v_up(latents)", "v = self.k_up(latents)"),
        ],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values, v_up(latents).",
        edits=[("self.v_up(latents)", "self.k_up(latents)")],
    ),
    Mistake(
        "values-as-keys",
        "The queries were compared with the values. They are compared with the keys, k_up(latents).",
        edits=[("self.k_up(latents)", "self.v_up(latents)")],
    ),
    # --- the mask
    *decoder.places(),
    *decoder.later_tokens(),
    *decoder.diagonal(),
    decoder.weakly_hidden(),
    # --- the attention
    *scale.mistakes(root=ROOT),
    Mistake(
        "scale-from-latent-dim",
        "The scores are divided by √latent_dim. Queries and keys are head_dim wide, so it is √head_dim.",
        edits=[(ROOT, "self.kv_down.out_features**0.5")],
    ),
    scale.scale_of_the_model(root=ROOT),
    *softmax.another_axis(query_axis="2"),
    softmax.another_sum(),
    Mistake(
        "split-interleaved",
        "The width was split as (head_dim, heads), so a head got columns that lie apart. Each head is a run of neighbouring columns: split as "
        "(heads, head_dim).",
        edits=[(SPLIT, ".unflatten(-1, (self.head_dim, self.nums_head)).permute(0, 3, 1, 2)")],
        everywhere=True,
    ),
    heads.one_head(heads="nums_head", model="hidden_dim"),
    heads.merge_without_transpose(joined="b, n, hidden_dim"),
    *heads.joined_otherwise(
        projected="self.v_up(latents).unflatten(-1, (self.nums_head, self.head_dim))", joined="b, n, hidden_dim"
    ),
    *decoder.last_line(cache="latents"),
    # --- the layers
    layers.with_bias(),
    heads.divisibility(heads="nums_head", model="hidden_dim"),
    Mistake(
        "latents-detached",
        "No gradient comes back through the latents: .detach(), .data or torch.no_grad() cuts it off. The latents of new tokens must not be detached.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(DOWN, "latents = self.kv_down(x).detach()\n")],
    ),
    decoder.input_overwritten(cache="latents"),
    # --- met in other people's code
    *scale.scale_of_heads(root=ROOT, heads="nums_head"),
    softmax.no_softmax_of_infinite_scores(),
    softmax.over_the_heads(),
    softmax.dropout_of_its_own(in_training=ONE_PASS),
    heads.merge_interleaved(joined="b, n, hidden_dim", heads_axis="nums_head"),
    *heads.keys_turned(),
    Mistake(
        "split-without-transpose",
        "The projections were viewed as (b, heads, tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "Split the last axis first, then swap heads and tokens.",
        edits=[(SPLIT, ".reshape(b, self.nums_head, -1, self.head_dim)")],
        everywhere=True,
    ),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(queries="self.q_proj(x)", keys="self.k_up(latents)", values="self.v_up(latents)"),
    *softmax.another_function(),
    *results.rows_of_tokens("self.o_proj(context)"),
    results.returned("float32-only", "self.o_proj(context)"),
    layers.queries_and_keys(),
]
