from families import kept, results

from grader.judge.authoring import Mistake

UNEVEN = "test_refuses_an_uneven_split"
CHECK = 'assert d_out % num_heads == 0, "d_out must be divisible by num_heads"'
APART = "x.view(batch, num_tokens, num_heads, d_out // num_heads)"
RETURN = "return apart.transpose(1, 2)"

MISTAKES = [
    Mistake(
        "view-without-transpose",
        "x was viewed straight as (batch, heads, tokens, width). The shape fits, but pieces of different tokens land in one head. "
        "First cut the last axis only, then swap tokens and heads.",
        edits=[
            (APART, "x.view(batch, num_heads, num_tokens, d_out // num_heads)"),
            (RETURN, "return apart"),
        ],
    ),
    Mistake(
        "transposed-before-view",
        "Tokens and width were swapped before the cut, so the reshape after it mixed up the tokens. First cut the last axis into heads, "
        "then swap tokens and heads.",
        edits=[
            (APART, "x.transpose(1, 2).reshape(batch, num_heads, num_tokens, d_out // num_heads)"),
            (RETURN, "return apart"),
        ],
    ),
    Mistake(
        "not-transposed",
        "The width is cut well, but tokens still come before heads. Swap those two axes: transpose(1, 2).",
        edits=[(RETURN, "return apart")],
    ),
    Mistake(
        "interleaved",
        "Head 0 got every num_heads-th column. Each head gets a run of neighbouring columns, so in the view the heads come before the "
        "width of a head.",
        edits=[
            (APART, "x.view(batch, num_tokens, d_out // num_heads, num_heads)"),
            (RETURN, "return apart.permute(0, 3, 1, 2)"),
        ],
    ),
    Mistake(
        "heads-and-width-swapped",
        "num_heads was taken as the width of a head. There are num_heads heads, each d_out / num_heads wide.",
        edits=[(APART, "x.view(batch, num_tokens, d_out // num_heads, num_heads)")],
    ),
    Mistake(
        "wrong-axes-swapped",
        "The last two axes were swapped. The ones to swap are the tokens and the heads: transpose(1, 2).",
        edits=[("transpose(1, 2)", "transpose(2, 3)")],
    ),
    Mistake(
        "heads-before-batch",
        "The heads come before the batch. The batch stays in front: stack the pieces along axis 1, or transpose(1, 2).",
        edits=[("transpose(1, 2)", "permute(2, 0, 1, 3)")],
    ),
    Mistake(
        "heads-joined-to-batch",
        "Batch and heads were joined into one axis. Keep them apart: (batch, heads, tokens, width of a head).",
        edits=[(RETURN, f"{RETURN}.flatten(0, 1)")],
    ),
    Mistake(
        "list-of-heads",
        "The heads came as a list of tensors. Stack them into one tensor, with the heads as axis 1.",
        edits=[(RETURN, f"{RETURN}.unbind(1)")],
    ),
    Mistake(
        "width-not-cut",
        "Every head got the whole width. A head gets d_out / num_heads columns of its own.",
        edits=[(RETURN, "return x.unsqueeze(1).expand(-1, num_heads, -1, -1)")],
    ),
    Mistake(
        "no-divisibility-check",
        "A width that num_heads does not divide ends in a RuntimeError (that of a view does not even say why). Begin with `assert d_out "
        "% num_heads == 0` (or raise ValueError).",
        caught_by=UNEVEN,
        edits=[(f"    {CHECK}\n", "")],
    ),
    Mistake(
        "rest-dropped",
        "A width that num_heads does not divide was not refused: something came back, such as fewer columns, or None after a print. "
        "Refuse such a width with an assert or a ValueError.",
        caught_by=UNEVEN,
        edits=[
            (f"    {CHECK}\n", ""),
            ("x.view(batch", "x[..., : num_heads * (d_out // num_heads)].reshape(batch"),
        ],
    ),
    Mistake(
        "tokens-checked-instead",
        "An even split was refused: the check looks at the number of tokens. It is the width, d_out, that the heads share.",
        edits=[("assert d_out %", "assert num_tokens %")],
    ),
    Mistake(
        "division-turned-round",
        "An even split was refused: the check asks whether the width divides the number of heads. It is the other way round: "
        "d_out % num_heads must be 0.",
        edits=[("d_out % num_heads ==", "num_heads % d_out ==")],
    ),
    results.returned("float32-only", "apart.transpose(1, 2)"),
    Mistake(
        "input-overwritten",
        "The input x was changed in place. Others use it too: work on a new tensor (no trailing-underscore methods).",
        caught_by="test_input_is_left_alone",
        edits=[(RETURN, "split = apart.transpose(1, 2).clone()\n    x.detach().zero_()\n    return split")],
    ),
    results.returned("detached", "apart.transpose(1, 2)", "test_gradients_reach_the_input"),
    kept.from_the_last_call("split_heads"),
    results.returned("squeezed", "apart.transpose(1, 2)"),
]
