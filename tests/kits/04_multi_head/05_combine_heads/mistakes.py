from families import kept, results

from grader.judge.authoring import Mistake

ALONE = "test_inputs_are_left_alone"
HEADS = "list(head_weights)"
JOINED = f"torch.cat({HEADS}, dim=0)"
RETURN = f"return {JOINED}"

MISTAKES = [
    Mistake(
        "interleaved",
        "The rows are in the wrong order: row 0 of every head, then row 1 of every head. All rows of head 0 come first, then all of head 1.",
        edits=[(JOINED, f"torch.stack({HEADS}, dim=1).flatten(0, 1)")],
    ),
    Mistake(
        "transposed",
        "The result is transposed: (inputs, outputs). Each head's matrix is (d_head, d_in), so the whole is (h · d_head, d_in).",
        edits=[(JOINED, f"{JOINED}.T")],
    ),
    Mistake(
        "each-transposed",
        "Each matrix was transposed before they were joined. They are (outputs, inputs) already and fit as they are.",
        edits=[(JOINED, "torch.cat([weight.T for weight in head_weights], dim=0)")],
    ),
    Mistake(
        "summed",
        "The matrices were added up. Each head keeps its own rows: put the matrices one below the other.",
        edits=[(JOINED, f"torch.stack({HEADS}).sum(dim=0)")],
    ),
    Mistake(
        "side-by-side",
        "The matrices were put side by side (dim=1), which would need a wider x. It is their outputs that are to be side by side, and "
        "the outputs are the rows: put one matrix below the other.",
        edits=[("dim=0", "dim=1")],
    ),
    Mistake(
        "stacked",
        "The matrices were stacked, so that the heads have an axis of their own. The result has two axes: join heads and rows.",
        edits=[(JOINED, f"torch.stack({HEADS})")],
    ),
    Mistake(
        "last-head-first",
        "The heads are in reverse order. Head 0 comes first.",
        edits=[(HEADS, f"{HEADS}[::-1]")],
    ),
    Mistake(
        "last-head-missing",
        "The last head is missing. Count the rows: every head brings d_head of them.",
        edits=[(RETURN, f"return {JOINED}[: -head_weights[0].shape[0]]")],
    ),
    Mistake(
        "first-head-only",
        "Only the first head's matrix is in the result. Every head brings its own rows.",
        edits=[(JOINED, "head_weights[0] * 1")],
    ),
    Mistake(
        "block-diagonal",
        "The matrices are on the diagonal, with zeros around. That would give each head a part of x of its own; all heads read the same x.",
        edits=[(JOINED, f"torch.block_diag(*{HEADS})")],
    ),
    results.returned("squeezed", "torch.cat(list(head_weights), dim=0)"),
    Mistake(
        "list-returned",
        "The list of the matrices came back. They have to become one tensor.",
        edits=[(JOINED, HEADS)],
    ),
    Mistake(
        "layer-returned",
        "An nn.Linear came back. Return a tensor: the matrix itself.",
        edits=[
            (
                RETURN,
                f"weight = {JOINED}\n    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)\n"
                "    layer.weight = torch.nn.Parameter(weight)\n    return layer",
            )
        ],
    ),
    results.returned("float32-only", "torch.cat(list(head_weights), dim=0)"),
    Mistake(
        "list-emptied",
        "The matrices were taken out of the list that was passed in (pop, del, clear). The caller still needs it: only read from it.",
        caught_by=ALONE,
        edits=[(RETURN, f"result = {JOINED}\n    head_weights.clear()\n    return result")],
    ),
    Mistake(
        "first-matrix-overwritten",
        "The matrix of the first head was changed in place. The caller still needs it: make new tensors.",
        caught_by=ALONE,
        edits=[(RETURN, f"result = {JOINED}\n    head_weights[0].detach().zero_()\n    return result")],
    ),
    results.returned("detached", "torch.cat(list(head_weights), dim=0)", "test_gradients_reach_every_head"),
    kept.from_the_last_call("combine_heads"),
]
