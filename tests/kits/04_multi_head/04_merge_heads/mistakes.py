from families import kept, results

from grader.judge.authoring import Mistake

BY_TOKEN = "x.transpose(1, 2).contiguous()"
RETURN = "return by_token.view(batch, num_tokens, num_heads * head_dim)"

MISTAKES = [
    Mistake(
        "no-transpose",
        "x was viewed straight as (batch, tokens, width). The shape fits, but one row now holds several tokens of one head. "
        "First swap heads and tokens, then join.",
        edits=[(BY_TOKEN, "x")],
    ),
    Mistake(
        "view-on-a-transposed-tensor",
        "After the transpose the numbers no longer lie in memory in the order of the axes, and `view` can't join these. Call "
        ".contiguous() in between, or use reshape.",
        edits=[(".contiguous()", "")],
    ),
    Mistake(
        "interleaved",
        "The columns are in the wrong order: column 0 of every head, then column 1 of every head. The heads come before the width when "
        "the two are joined: (batch, tokens, heads, width of a head).",
        edits=[("transpose(1, 2)", "permute(0, 2, 3, 1)")],
    ),
    Mistake(
        "wrong-axes-swapped",
        "The last two axes were swapped. The ones to swap are the heads and the tokens: transpose(1, 2).",
        edits=[("transpose(1, 2)", "transpose(2, 3)")],
    ),
    Mistake(
        "heads-and-width-swapped",
        "Heads and width of a head were swapped (transpose(1, 3)). The ones to swap are the heads and the tokens: transpose(1, 2).",
        edits=[("transpose(1, 2)", "transpose(1, 3)")],
    ),
    Mistake(
        "batch-and-heads-swapped",
        "Batch and heads were swapped, so sequences are mixed with each other. The axes to swap are the heads and the tokens: transpose(1, 2).",
        edits=[("transpose(1, 2)", "transpose(0, 1)")],
    ),
    Mistake(
        "axes-misread",
        "x.shape was read as (batch, tokens, heads, width). The heads come second here: (batch, heads, tokens, width of a head).",
        edits=[("num_heads, num_tokens, head_dim = x.shape", "num_tokens, num_heads, head_dim = x.shape")],
    ),
    Mistake(
        "not-joined",
        "Heads and tokens are swapped well, but the last two axes, heads and width of a head, still have to become one.",
        edits=[(RETURN, "return by_token")],
    ),
    Mistake(
        "heads-below-one-another",
        "The heads were joined along the tokens, one below the other. They belong side by side, along the width (dim=-1).",
        edits=[(RETURN, "return x.flatten(1, 2)")],
    ),
    Mistake(
        "batch-lost",
        "Batch and tokens were joined into one axis. Keep them apart: (batch, tokens, width of all heads).",
        edits=[(RETURN, "return by_token.view(-1, num_heads * head_dim)")],
    ),
    Mistake(
        "token-axis-in-front",
        "The tokens come before the batch. The batch stays in front: (batch, tokens, width of all heads).",
        edits=[(BY_TOKEN, "x.permute(2, 0, 1, 3)"), (RETURN, "return by_token.flatten(2)")],
    ),
    results.returned("squeezed", "by_token.view(batch, num_tokens, num_heads * head_dim)"),
    Mistake(
        "heads-summed",
        "The heads were added up. Put them side by side: the result is h times as wide as one head.",
        edits=[(RETURN, "return x.sum(dim=1)")],
    ),
    Mistake(
        "heads-averaged",
        "The heads were averaged. Put them side by side: the result is h times as wide as one head.",
        edits=[(RETURN, "return x.mean(dim=1)")],
    ),
    Mistake(
        "list-of-heads",
        "The heads came as a tuple or list of tensors. Join them into one tensor, along the width.",
        edits=[(RETURN, "return x.unbind(1)")],
    ),
    Mistake(
        "heads-from-the-last-on",
        "The heads are joined from the last to the first. Head 0 comes first.",
        edits=[(BY_TOKEN, "x.flip(1).transpose(1, 2).contiguous()")],
    ),
    Mistake(
        "returned-unchanged",
        "x came back as it was. Return (b, n, h * d): the heads side by side.",
        edits=[(RETURN, "return x")],
    ),
    results.returned("float32-only", "by_token.view(batch, num_tokens, num_heads * head_dim)"),
    Mistake(
        "input-transposed-in-place",
        "The input x was changed in place (transpose_, with an underscore). Others use it too: transpose gives a new one.",
        caught_by="test_input_is_left_alone",
        edits=[("x.transpose(1, 2)", "x.transpose_(1, 2)")],
    ),
    results.input_overwritten(RETURN.removeprefix("return ")),
    results.returned(
        "detached", "by_token.view(batch, num_tokens, num_heads * head_dim)", "test_gradients_reach_the_input"
    ),
    kept.from_the_last_call("merge_heads"),
]
