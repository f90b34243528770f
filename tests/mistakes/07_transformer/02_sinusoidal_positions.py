from grader.judge.authoring import Mistake

MAIN = "test_agrees_with_formula"
MANY = "test_many_places"
POSITION = "torch.arange(num_tokens, dtype=torch.float64)"
PAIR = "torch.arange(d_model // 2, dtype=torch.float64)"
EXPONENT = "(-2 * pair / d_model)"
SPEED = "10000.0 ** " + EXPONENT
ANGLE = "position[:, None] * speed[None, :]"
TABLE = "torch.stack([angle.sin(), angle.cos()], dim=-1)"
RETURN = "return table.flatten(1).to(torch.float32)"

MISTAKES = [
    # --- where the numbers stand
    Mistake(
        "halves",
        "All sines stand in the first half and all cosines in the second. Here they are neighbours: sine, cosine, sine, cosine, …",
        caught_by=MAIN,
        edits=[(TABLE, "torch.cat([angle.sin(), angle.cos()], dim=-1)")],
    ),
    Mistake(
        "sine-and-cosine-exchanged",
        "Sine and cosine are exchanged: the sine stands in the even columns, so row 0 is 0, 1, 0, 1, …",
        caught_by=MAIN,
        edits=[(TABLE, "torch.stack([angle.cos(), angle.sin()], dim=-1)")],
    ),
    Mistake(
        "exchanged-halves",
        "All cosines stand in the first half and all sines in the second. Here they are neighbours: sine, cosine, sine, cosine, …",
        caught_by=MAIN,
        edits=[(TABLE, "torch.cat([angle.cos(), angle.sin()], dim=-1)")],
    ),
    Mistake(
        "only-sines",
        "There are only sines. The odd columns hold the cosine of the angle whose sine stands to the left.",
        caught_by=MAIN,
        edits=[("angle.cos()", "angle.sin()")],
    ),
    Mistake(
        "sines-for-even-places",
        "Sine and cosine take turns from row to row. They take turns from column to column.",
        caught_by=MAIN,
        edits=[
            (TABLE, "angle.repeat_interleave(2, dim=-1)"),
            (RETURN, "return torch.where(position[:, None] % 2 == 0, table.sin(), table.cos()).float()"),
        ],
    ),
    # --- the speeds
    Mistake(
        "exponent-i-over-d",
        "The angles fall half as fast as they should: the exponent is -2i/d for pair i, with a factor 2.",
        caught_by=MAIN,
        edits=[(EXPONENT, "(-pair / d_model)")],
    ),
    Mistake(
        "exponent-doubled",
        "The angles fall twice as fast as they should: the exponent has its factor 2 twice. With j = 0, 2, 4, … it is -j/d.",
        caught_by=MAIN,
        edits=[(EXPONENT, "(-4 * pair / d_model)")],
    ),
    Mistake(
        "each-column-its-own-speed",
        "Each column has a speed of its own. A sine and the cosine to its right share one: 10000^(-2i/d), i the number of the pair.",
        caught_by=MAIN,
        edits=[
            (PAIR, "torch.arange(d_model, dtype=torch.float64) / 2"),
            (TABLE, "torch.stack([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1)"),
        ],
    ),
    Mistake(
        "each-column-its-own-doubled-speed",
        "Each column has a speed of its own, with its number as i. A sine and the cosine to its right share one: 10000^(-2i/d), where i "
        "counts pairs.",
        caught_by=MAIN,
        edits=[
            (PAIR, "torch.arange(d_model, dtype=torch.float64)"),
            (TABLE, "torch.stack([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1)"),
        ],
    ),
    Mistake(
        "exponent-positive",
        "The angles grow from pair to pair. The exponent is negative: later pairs turn more slowly.",
        caught_by=MAIN,
        edits=[(EXPONENT, "(2 * pair / d_model)")],
    ),
    Mistake(
        "exponent-without-d",
        "The exponent was not divided by d. It is -2i/d.",
        caught_by=MAIN,
        edits=[(EXPONENT, "(-2 * pair)")],
    ),
    Mistake(
        "spread-over-one-less",
        "The speeds were spread so that the last one is exactly 1/10000 (a linspace with its end, or d/2 - 1 below the fraction). "
        "The exponent is -2i/d.",
        caught_by=MAIN,
        edits=[(EXPONENT, "(-pair / max(d_model // 2 - 1, 1))")],
    ),
    Mistake(
        "pairs-from-one",
        "The pairs were counted from 1. The first one, i = 0, turns by 1 radian a place.",
        caught_by=MAIN,
        edits=[(PAIR, "torch.arange(1, d_model // 2 + 1, dtype=torch.float64)")],
    ),
    Mistake(
        "one-speed-for-all",
        "All pairs turn at one speed. Pair i turns by 10000^(-2i/d) a place.",
        caught_by=MAIN,
        edits=[(SPEED, "torch.ones_like(pair)")],
    ),
    Mistake(
        "another-base",
        "The base is not 10000 (ten thousand).",
        caught_by=MAIN,
        edits=[("10000.0 **", "1000.0 **")],
    ),
    Mistake(
        "base-hundred-thousand",
        "The base has a 0 too many: it is 10000 (ten thousand).",
        caught_by=MAIN,
        edits=[("10000.0 **", "100000.0 **")],
    ),
    # --- the places
    Mistake(
        "positions-from-one",
        "Positions were counted from 1. The first place is 0, so that row 0 is 0, 1, 0, 1, …",
        caught_by=MAIN,
        edits=[(POSITION, "torch.arange(1, num_tokens + 1, dtype=torch.float64)")],
    ),
    Mistake(
        "positions-shared-out",
        "Positions were divided by their number. A position is a whole number: 0, 1, 2, …",
        caught_by=MAIN,
        edits=[(ANGLE, "position[:, None] / num_tokens * speed[None, :]")],
    ),
    Mistake(
        "positions-backwards",
        "Positions run backwards. Row 0 is place 0.",
        caught_by=MAIN,
        edits=[(POSITION, "torch.arange(num_tokens - 1, -1, -1, dtype=torch.float64)")],
    ),
    Mistake(
        "in-turns",
        "The angles were multiplied by 2π. They are in radians as they are: place 1 of pair 0 is 1 radian.",
        caught_by=MAIN,
        edits=[(ANGLE, f"{ANGLE} * 2 * torch.pi")],
    ),
    Mistake(
        "in-degrees",
        "The angles were taken as degrees. They are radians.",
        caught_by=MAIN,
        edits=[(ANGLE, f"torch.deg2rad({ANGLE})")],
    ),
    Mistake(
        "tables-end",
        "Beyond some number of places the rows begin anew or stay as they are. Every place has a row of its own.",
        caught_by=MANY,
        edits=[(POSITION, f"{POSITION}.clamp(max=127)")],
    ),
    # --- the form
    Mistake(
        "double-precision",
        "The table is float64. It should be float32.",
        caught_by=MAIN,
        edits=[(RETURN, "return table.flatten(1)")],
    ),
    Mistake(
        "with-a-batch-axis",
        "The table has an axis too many in front. Its shape is (num_tokens, d_model).",
        caught_by=MAIN,
        edits=[(RETURN, RETURN + ".unsqueeze(0)")],
    ),
    Mistake(
        "transposed",
        "Rows and columns are exchanged: a row is a place, a column a place of the width.",
        caught_by=MAIN,
        edits=[(RETURN, RETURN + ".T.contiguous()")],
    ),
]
