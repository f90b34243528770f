from families import kept, results

from grader.judge.authoring import Mistake

BASE = "test_base_sets_how_fast_the_angles_fall"
OFFSET = "test_offset_counts_the_tokens_before"
PLUS = "x.dtype) + offset"
SPEED = "base ** (-2 * torch.arange(d // 2, dtype=x.dtype) / d)"
EXPONENT = "(-2 * torch.arange(d // 2, dtype=x.dtype) / d)"
ANGLE = "angle = position[:, None] * speed[None, :]"
COS_SIN = "cos, sin = angle.cos(), angle.sin()"
HALVES = "x1, x2 = x[..., : d // 2], x[..., d // 2 :]"
Y1, Y2 = "x1 * cos - x2 * sin", "x1 * sin + x2 * cos"
TURNED = f"torch.cat([{Y1}, {Y2}], dim=-1)"
RETURN = f"return {TURNED}"

MISTAKES = [
    # --- the angles
    Mistake(
        "exponent-doubled",
        "The angles fall too fast from pair to pair: the exponent has its factor 2 twice. It is -2i/d with "
        "i = 0, 1, …, d/2 - 1 (or -j/d with j = 0, 2, 4, …).",
        edits=[("(-2 * ", "(-4 * ")],
    ),
    Mistake(
        "exponent-halved",
        "The angles fall too slowly from pair to pair: the exponent is -2i/d, and its factor 2 is missing.",
        edits=[("(-2 * ", "(-1 * ")],
    ),
    Mistake(
        "exponent-positive",
        "The angles grow from pair to pair. The exponent is negative, so that later pairs turn more slowly.",
        edits=[("(-2 * ", "(2 * ")],
    ),
    Mistake(
        "pairs-counted-from-one",
        "The pairs were counted from 1. The first one is i = 0, and its angle is the position itself.",
        edits=[("torch.arange(d // 2, dtype=x.dtype)", "torch.arange(1, d // 2 + 1, dtype=x.dtype)")],
    ),
    Mistake(
        "same-angle-for-all-pairs",
        "All pairs of a token turn by the same angle. Pair i turns by position · base^(-2i/d).",
        edits=[(EXPONENT, "(0 * torch.arange(d // 2, dtype=x.dtype))")],
    ),
    Mistake(
        "positions-counted-from-one",
        "Positions were counted from 1. The first token stands at position 0 and is not turned.",
        edits=[("torch.arange(n, dtype=x.dtype) + offset", "torch.arange(n, dtype=x.dtype) + 1 + offset")],
    ),
    Mistake(
        "base-ignored",
        "`base` is not used: the angles are always those of 10000.",
        caught_by=BASE,
        edits=[(SPEED, SPEED.replace("base", "10000.0"))],
    ),
    Mistake(
        "offset-ignored",
        "`offset` is not used. It is added to every position.",
        caught_by=OFFSET,
        edits=[(PLUS, "x.dtype)")],
    ),
    Mistake(
        "offset-subtracted",
        "`offset` was subtracted from the positions. It counts the tokens that came before, so add it.",
        caught_by=OFFSET,
        edits=[(PLUS, "x.dtype) - offset")],
    ),
    # --- the pairs
    Mistake(
        "neighbours-paired",
        "Neighbours (0, 1), (2, 3), … were paired, as in the RoFormer paper. Here entry i is paired with entry i + d/2.",
        edits=[
            (HALVES, "x1, x2 = x[..., ::2], x[..., 1::2]"),
            (TURNED, f"torch.stack([{Y1}, {Y2}], dim=-1).flatten(-2)"),
        ],
    ),
    Mistake(
        "interleaved-angles",
        "The halves were paired, but the angles are laid out for neighbours (0 0 1 1 2 2 …). For halves it is the whole list of angles, twice: "
        "0 1 2 … 0 1 2 …",
        edits=[
            (COS_SIN, "cos, sin = (t.repeat_interleave(2, dim=-1) for t in (angle.cos(), angle.sin()))"),
            (RETURN, "return x * cos + torch.cat([-x2, x1], dim=-1) * sin"),
        ],
    ),
    Mistake(
        "taken-as-neighbours-put-as-halves",
        "The pairs were read as neighbours (x[..., ::2], x[..., 1::2]) but written as halves. Read and write entry i and entry i + d/2.",
        edits=[(HALVES, "x1, x2 = x[..., ::2], x[..., 1::2]")],
    ),
    Mistake(
        "halves-exchanged",
        "The two halves of the result are exchanged: y1 comes first, then y2.",
        edits=[(TURNED, f"torch.cat([{Y2}, {Y1}], dim=-1)")],
    ),
    Mistake(
        "position-from-the-heads",
        "The positions run along the heads (dimension 1). They run along the tokens, dimension 2 of (b, h, n, d).",
        edits=[
            ("n, d = x.shape[-2:]", "n, d = x.shape[1], x.shape[-1]"),
            (ANGLE, "angle = (position[:, None] * speed[None, :])[:, None, :]"),
        ],
    ),
    # --- the rotation
    Mistake(
        "sine-turned-round",
        "The vectors turn the other way: the signs of the sine are exchanged. y1 has the minus, y2 the plus.",
        edits=[(Y1, "x1 * cos + x2 * sin"), (Y2, "x2 * cos - x1 * sin")],
    ),
    Mistake(
        "minus-forgotten",
        "Both sines are added. One of them is subtracted: y1 = x1 · cos - x2 · sin. Otherwise it is no rotation, and lengths change.",
        edits=[(Y1, "x1 * cos + x2 * sin")],
    ),
    Mistake(
        "sine-and-cosine-exchanged",
        "Sine and cosine are exchanged. With y1 = x1 · cos - x2 · sin the vector at position 0 stays as it is, as cos 0 = 1 and sin 0 = 0.",
        edits=[("angle.cos(), angle.sin()", "angle.sin(), angle.cos()")],
    ),
    Mistake(
        "one-half-only",
        "Only the first half of each vector was changed. Both entries of a pair turn.",
        edits=[(Y2, "x2")],
    ),
    Mistake(
        "not-turned",
        "x came back as it was. Return the rotated pairs, y1 and y2.",
        edits=[(RETURN, "return x.clone()")],
    ),
    results.returned("float32-only", "torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)"),
    results.returned("detached", TURNED, "test_gradients_reach_x"),
    Mistake(
        "written-into-x",
        "The result was written into x (x[...] = …): the caller's x has changed, and where gradients are wanted it is an error. Make a "
        "new tensor, with torch.cat.",
        caught_by="test_x_is_left_alone",
        edits=[(RETURN, f"x[...] = {TURNED}\n    return x")],
    ),
    Mistake(
        "overwritten",
        "The result was written into x. The caller still needs it: make a new tensor.",
        caught_by="test_x_is_left_alone",
        edits=[(RETURN, f"y = {TURNED}\n    x.detach().copy_(y.detach())\n    return y")],
    ),
    kept.from_the_last_call("apply_rotary"),
    results.returned("squeezed", "torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)"),
    Mistake(
        "halves-put-below",
        "The two turned halves were joined along the tokens (dim=-2), or not along the width. Join them along the last axis: dim=-1.",
        edits=[(TURNED, TURNED.replace("dim=-1", "dim=-2"))],
    ),
    Mistake(
        "in-degrees",
        "The angles were taken as degrees. cos() and sin() want radians: position · speed as it is.",
        edits=[(ANGLE, "angle = torch.deg2rad(position[:, None] * speed[None, :])")],
    ),
]
