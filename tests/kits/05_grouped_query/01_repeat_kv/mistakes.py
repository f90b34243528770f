from families import kept, results

from grader.judge.authoring import Mistake

CALL = "x.repeat_interleave(n_rep, dim=1)"


def instead(code):
    return [(CALL, code)]


MISTAKES = [
    Mistake(
        "tiled",
        "The heads come as A B A B: whole copies one behind the other, as `repeat` or `cat` make them. The copies of a head "
        "belong next to each other, A A B B.",
        edits=instead("x.repeat(1, n_rep, 1, 1)"),
    ),
    Mistake(
        "along-the-sequence",
        "The tokens were repeated (dim=2). It is the heads that are shared, and they are dimension 1.",
        edits=instead("x.repeat_interleave(n_rep, dim=2)"),
    ),
    Mistake(
        "along-the-width",
        "The numbers within each head were repeated (the last dimension). It is the heads that are shared: dimension 1.",
        edits=instead("x.repeat_interleave(n_rep, dim=-1)"),
    ),
    Mistake(
        "no-dim",
        "Without `dim`, repeat_interleave flattens the whole tensor first. Say which dimension: the heads are dimension 1.",
        edits=instead("x.repeat_interleave(n_rep)"),
    ),
    Mistake(
        "tokens-of-heads-mixed",
        "The shape fits, but the tokens were repeated, not the heads: the first copy of a head has the first tokens n_rep times each, the last copy "
        "the last ones. Put the new axis of copies right after the heads (dimension 2), then join these two.",
        edits=instead("x[:, :, :, None].expand(-1, -1, -1, n_rep, -1).reshape(x.shape[0], -1, x.shape[2], x.shape[3])"),
    ),
    Mistake(
        "axes-not-joined",
        "The copies have an axis of their own: 5 dimensions came back. Join it with the heads, reshape(b, kv * n_rep, n, d).",
        edits=instead("x[:, :, None].expand(-1, -1, n_rep, -1, -1)"),
    ),
    Mistake(
        "not-repeated",
        "x came back as it was. Each head must appear n_rep times.",
        edits=instead("x"),
    ),
    Mistake(
        "one-copy-too-many",
        "Each head is there n_rep + 1 times: the original counts as one of the n_rep.",
        edits=instead("torch.cat([x, x.repeat_interleave(n_rep, dim=1)], dim=1)"),
    ),
    Mistake(
        "one-copy-too-many-side-by-side",
        "Each head is there n_rep + 1 times, side by side: the original counts as one of the n_rep.",
        edits=instead("x.repeat_interleave(n_rep + 1, dim=1)"),
    ),
    Mistake(
        "one-copy-gives-none",
        "With n_rep = 1 nothing is returned. In that case x comes back as it was.",
        caught_by="test_edges",
        edits=instead("x.repeat_interleave(n_rep, dim=1) if n_rep > 1 else None"),
    ),
    results.returned("squeezed", CALL, "test_edges"),
    results.returned("detached", "x.repeat_interleave(n_rep, dim=1)", "test_gradients_reach_x"),
    Mistake(
        "input-overwritten",
        "x itself was changed (a method that ends in an underscore, or an assignment into x). The caller still needs it.",
        caught_by="test_input_is_left_alone",
        edits=instead("x.data.mul_(2).div(2)" + CALL.removeprefix("x")),
    ),
    results.returned("float32-only", CALL),
    kept.from_the_last_call("repeat_kv"),
]
