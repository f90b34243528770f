from families import decoder, head_projections, heads, kept, layers, results, scale, softmax, too_weak
from families.some_of import without

from grader.judge.authoring import Mistake

ONE_PASS = "test_one_pass_agrees_with_formula"
CHUNKS = "test_chunks_give_what_one_pass_gives"
REUSE = "test_a_cache_can_be_used_again"
CAT_K, CAT_V = "torch.cat([past_k, k], dim=2)", "torch.cat([past_v, v], dim=2)"
OFFSET = ".triu(diagonal=past + 1)"
HIDE = "scores = scores.masked_fill(later, -torch.inf)"
ROOT = "self.head_dim**0.5"
MERGE = "(weights @ v).transpose(1, 2).reshape(b, n, hidden_dim)"
END = "return self.o_proj(context), (k, v)"
PAST = "        past = 0\n"
START = "        b, n, hidden_dim = x.shape\n"


MISTAKES = [
    # --- the cache
    Mistake(
        "cache-dropped",
        "Each chunk sees only itself: the cache that was passed in is not used, or was put after the new tokens, where the mask hides it. "
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
        "From the second chunk on, the cache that came in was returned unchanged, so the third chunk does not see the second. Return the joined "
        "keys and values.",
        caught_by=CHUNKS,
        edits=[(END, "return self.o_proj(context), cache if cache is not None else (k, v)")],
    ),
    *decoder.places(),
    Mistake(
        "no-mask-at-first",
        "The first chunk is not masked. It needs the causal mask like every chunk of more than one token.",
        edits=[(HIDE, "scores = scores.masked_fill(later, -torch.inf) if past else scores")],
    ),
    *decoder.keys_and_values_cached(),
    Mistake(
        "new-keys-in-front",
        "The new keys were put in front of the cached ones, but the new values after them, so keys and values of different tokens meet.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([k, past_k], dim=2)")],
    ),
    Mistake(
        "cached-keys-and-values-swapped",
        "Keys and values are exchanged in the cache: stored as (k, v), read as (v, k), or the other way round.",
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
        "joined-along-the-wrong-axis",
        "Cached and new keys were joined along the heads or the batch. They are joined along the tokens: dimension 2 after the split "
        "into heads.",
        caught_by=CHUNKS,
        edits=[(CAT_K, "torch.cat([past_k, k], dim=1)"), (CAT_V, "torch.cat([past_v, v], dim=1)")],
    ),
    Mistake(
        "only-the-cache-is-seen",
        "With a cache the new tokens see only the cached ones. New token i sees the tokens 0 to past + i: the cached ones, earlier new ones, and "
        "itself.",
        caught_by=CHUNKS,
        edits=[
            (HIDE, HIDE + "\n        if past:\n            scores = scores[..., :past]"),
            (MERGE, "(weights @ v[:, :, : weights.shape[-1]]).transpose(1, 2).reshape(b, n, hidden_dim)"),
        ],
    ),
    Mistake(
        "kept-in-the-module",
        "Keys and values are kept in the module, whatever cache is passed in, so two texts read by turns get mixed up. Use the cache that "
        "comes as an argument.",
        caught_by=REUSE,
        edits=[
            ("            past_k, past_v = cache\n", "            past_k, past_v = self.kept\n"),
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
    *decoder.pair(),
    # --- the attention itself
    *decoder.later_tokens(),
    *without(decoder.diagonal(), "own-token-hidden"),
    Mistake(
        "diagonal-hidden",
        "A token does not see itself. The hidden triangle begins one column further right: diagonal=past + 1.",
        edits=[(OFFSET, ".triu(diagonal=past)")],
    ),
    *scale.mistakes(root=ROOT),
    scale.scale_of_the_model(root=ROOT),
    *scale.scale_of_heads(root=ROOT, heads="nums_head"),
    *softmax.another_axis(query_axis="2"),
    softmax.another_sum(),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values, v_proj(x).",
        edits=[("self.v_proj(x)", "self.k_proj(x)")],
    ),
    *without(layers.keys_and_values(), "keys-as-values"),
    *heads.split(heads="nums_head", heads_axis="nums_head"),
    heads.merge_without_transpose(joined="b, n, hidden_dim"),
    *heads.joined_otherwise(projected="self.v_proj(x).view(in_heads)", joined="b, n, hidden_dim"),
    *decoder.last_line(),
    *layers.biases(model="hidden_dim"),
    heads.divisibility(heads="nums_head", model="hidden_dim"),
    Mistake(
        "keys-and-values-detached",
        "No gradient comes back through keys and values: .detach(), .data or torch.no_grad() cuts it off.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(PAST, PAST + "        k, v = k.detach(), v.detach()\n")],
    ),
    Mistake(
        "cache-detached",
        "The cache was cut off with .detach(), .data or torch.no_grad(), so a later chunk teaches nothing to the tokens before it. Return k and v "
        "as they are.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(END, "return self.o_proj(context), (k.detach(), v.detach())")],
    ),
    softmax.weights_detached(),
    decoder.input_overwritten(),
    too_weak.mistake(fill=HIDE, weak_fill="scores = scores.masked_fill(later, -100.0)", loud=ONE_PASS),
    kept.in_evaluation(REUSE),
    # --- met in other people's code
    softmax.no_softmax_of_infinite_scores(),
    softmax.over_the_heads(),
    softmax.dropout_of_its_own(in_training=REUSE),
    heads.merge_interleaved(joined="b, n, hidden_dim", heads_axis="nums_head"),
    *heads.keys_turned(),
    heads.one_head(heads="nums_head", model="hidden_dim"),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(queries="self.q_proj(x)", keys="self.k_proj(x)", values="self.v_proj(x)"),
    *softmax.another_function(),
    *results.rows_of_tokens("self.o_proj(context)"),
    results.returned("float32-only", "self.o_proj(context)"),
    layers.queries_and_keys(),
]
