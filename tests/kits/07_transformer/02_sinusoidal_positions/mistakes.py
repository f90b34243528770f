from grader.judge.authoring import Mistake

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
        "All sines are in the first half of the columns and all cosines in the second. Here they are neighbours: sine, cosine, sine, cosine, …",
        edits=[(TABLE, "torch.cat([angle.sin(), angle.cos()], dim=-1)")],
    ),
    Mistake(
        "sine-and-cosine-exchanged",
        "Sine and cosine are exchanged. The sines belong in the even columns, so that row 0 is 0, 1, 0, 1, …",
        edits=[(TABLE, "torch.stack([angle.cos(), angle.sin()], dim=-1)")],
    ),
    Mistake(
        "only-sines",
        "There are only sines. Each odd column holds the cosine of the angle whose sine is in the column to its left.",
        edits=[("angle.cos()", "angle.sin()")],
    ),
    Mistake(
        "sines-for-even-places",
        "Sine and cosine alternate from row to row. They should alternate from column to column.",
        edits=[
            (TABLE, "angle.repeat_interleave(2, dim=-1)"),
            (RETURN, "return torch.where(position[:, None] % 2 == 0, table.sin(), table.cos()).float()"),
        ],
    ),
    # --- the speeds
    Mistake(
        "exponent-i-over-d",
        "The angles fall too slowly from pair to pair: the exponent is -2i/d for pair i, and its factor 2 is missing.",
        edits=[(EXPONENT, "(-pair / d_model)")],
    ),
    Mistake(
        "exponent-doubled",
        "The angles fall too fast from pair to pair: the exponent has its factor 2 twice. It is -2i/d with i = 0, 1, 2, … (or -j/d with j = 0, 2, 4, …).",
        edits=[(EXPONENT, "(-4 * pair / d_model)")],
    ),
    Mistake(
        "each-column-its-own-speed",
        "Each column has a speed of its own. A sine and the cosine to its right share one: 10000^(-2i/d), i the number of the pair.",
        edits=[
            (PAIR, "torch.arange(d_model, dtype=torch.float64) / 2"),
            (TABLE, "torch.stack([angle[:, 0::2].sin(), angle[:, 1::2].cos()], dim=-1)"),
        ],
    ),
    Mistake(
        "exponent-positive",
        "The angles grow from pair to pair. The exponent is negative, -2i/d.",
        edits=[(EXPONENT, "(2 * pair / d_model)")],
    ),
    Mistake(
        "spread-over-one-less",
        "The exponents end at exactly -1 (a linspace that includes its end, or a division by d/2 - 1). The exponent of pair i is -2i/d.",
        edits=[(EXPONENT, "(-pair / max(d_model // 2 - 1, 1))")],
    ),
    Mistake(
        "pairs-from-one",
        "The pairs were counted from 1. The first one is i = 0, and its angle is p itself.",
        edits=[(PAIR, "torch.arange(1, d_model // 2 + 1, dtype=torch.float64)")],
    ),
    Mistake(
        "one-speed-for-all",
        "All pairs have the same angles. The angle of pair i is p · 10000^(-2i/d).",
        edits=[(SPEED, "torch.ones_like(pair)")],
    ),
    Mistake(
        "base-hundred-thousand",
        "The base is 100000, with one 0 too many. It should be 10000 (ten thousand).",
        edits=[("10000.0 **", "100000.0 **")],
    ),
    # --- the places
    Mistake(
        "positions-from-one",
        "Positions were counted from 1. The first place is 0, so that row 0 is 0, 1, 0, 1, …",
        edits=[(POSITION, "torch.arange(1, num_tokens + 1, dtype=torch.float64)")],
    ),
    Mistake(
        "positions-shared-out",
        "Positions were divided by num_tokens. A position is a whole number: 0, 1, 2, …",
        edits=[(ANGLE, "position[:, None] / num_tokens * speed[None, :]")],
    ),
    Mistake(
        "in-degrees",
        "The angles were taken as degrees. They are radians.",
        edits=[(ANGLE, f"torch.deg2rad({ANGLE})")],
    ),
    Mistake(
        "tables-end",
        "From some position on the rows no longer change, or they repeat. Every position has a row of its own, however many there are.",
        caught_by=MANY,
        edits=[(POSITION, f"{POSITION}.clamp(max=127)")],
    ),
    # --- the form
    Mistake(
        "double-precision",
        "The table is float64. It should be float32.",
        edits=[(RETURN, "return table.flatten(1)")],
    ),
    Mistake(
        "with-a-batch-axis",
        "The table has one axis too many, in front. Its shape is (num_tokens, d_model).",
        edits=[(RETURN, RETURN + ".unsqueeze(0)")],
    ),
    Mistake(
        "transposed",
        "Rows and columns are exchanged: there is a row for each position, and a column for each of the d_model numbers.",
        edits=[(RETURN, RETURN + ".T.contiguous()")],
    ),
]
