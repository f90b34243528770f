from grader.judge.authoring import Mistake, kept_from_the_last_call

MAIN = "test_heads_in_order"
ALONE = "test_inputs_are_left_alone"
HEADS = "list(head_weights)"
JOINED = f"torch.cat({HEADS}, dim=0)"
RETURN = f"return {JOINED}"
SHAPE = "len(head_weights) * head_weights[0].shape[0], head_weights[0].shape[1]"

MISTAKES = [
    Mistake(
        "interleaved",
        "The rows are in the wrong order: row 0 of every head, then row 1 of every head. All rows of head 0 come first, then all of head 1.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}, dim=1).flatten(0, 1)")],
    ),
    Mistake(
        "side-by-side-then-reshaped",
        "The matrices were put side by side and reshaped, which gives row 0 of every head, then row 1 of every head. Put them one below "
        "the other (dim=0).",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.cat({HEADS}, dim=1).reshape({SHAPE})")],
        same_as="interleaved",
    ),
    Mistake(
        "transposed",
        "The result is transposed: (inputs, outputs). Each head's matrix is (d_head, d_in), so the whole is (h · d_head, d_in).",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED}.T")],
    ),
    Mistake(
        "transposed-then-side-by-side",
        "Each matrix was transposed before they were put side by side. They are (outputs, inputs) already: one below the other.",
        caught_by=MAIN,
        edits=[(JOINED, "torch.cat([weight.T for weight in head_weights], dim=1)")],
        same_as="transposed",
    ),
    Mistake(
        "each-transposed",
        "Each matrix was transposed before they were joined. They are (outputs, inputs) already and fit as they are.",
        caught_by=MAIN,
        edits=[(JOINED, "torch.cat([weight.T for weight in head_weights], dim=0)")],
    ),
    Mistake(
        "transposed-to-shape",
        "The numbers were brought to the right shape by a reshape after a transpose, which mixes them up. No transpose is needed: one "
        "matrix below the other.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.cat([weight.T for weight in head_weights], dim=1).reshape({SHAPE})")],
    ),
    Mistake(
        "numbers-interleaved",
        "The numbers of the heads are mixed one by one: stack put the heads on the last axis, and the reshape joined that to the rest. "
        "Put one matrix below the other.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}, dim=-1).reshape({SHAPE})")],
    ),
    Mistake(
        "averaged",
        "The matrices were averaged. Each head keeps its own rows: put the matrices one below the other.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}).mean(dim=0)")],
    ),
    Mistake(
        "averaged-and-repeated",
        "The average of the matrices was repeated, once for every head. Each head keeps its own rows: put the matrices one below the other.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}).mean(dim=0).repeat(len(head_weights), 1)")],
    ),
    Mistake(
        "divided-by-the-heads",
        "The rows were divided by the number of heads, as for an average. Nothing is computed here: the rows are taken over as they are.",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED} / len(head_weights)")],
    ),
    Mistake(
        "rows-from-the-bottom-up",
        "All rows are in reverse order. Row 0 of head 0 comes first.",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED}.flip(0)")],
    ),
    Mistake(
        "summed",
        "The matrices were added up. Each head keeps its own rows: put the matrices one below the other.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}).sum(dim=0)")],
    ),
    Mistake(
        "side-by-side",
        "The matrices were put side by side (dim=1), which would need a wider x. It is their outputs that are to be side by side, and "
        "the outputs are the rows: put one matrix below the other.",
        caught_by=MAIN,
        edits=[("dim=0", "dim=1")],
    ),
    Mistake(
        "stacked",
        "The matrices were stacked, so that the heads have an axis of their own. The result has two axes: join heads and rows.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS})")],
    ),
    Mistake(
        "stacked-in-the-middle",
        "The matrices were stacked, so that the heads have an axis of their own. The result has two axes: join heads and rows.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}, dim=1)")],
    ),
    Mistake(
        "stacked-at-the-end",
        "The matrices were stacked, so that the heads have an axis of their own. The result has two axes: join heads and rows.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.stack({HEADS}, dim=-1)")],
    ),
    Mistake(
        "each-transposed-to-shape",
        "Each matrix was transposed and brought back to its shape by a reshape, which mixes its numbers. No transpose is needed: one matrix "
        "below the other.",
        caught_by=MAIN,
        edits=[(JOINED, "torch.cat([weight.T.reshape(weight.shape) for weight in head_weights])")],
    ),
    Mistake(
        "last-head-first",
        "The heads are in reverse order. Head 0 comes first.",
        caught_by=MAIN,
        edits=[(HEADS, f"{HEADS}[::-1]")],
    ),
    Mistake(
        "last-head-missing",
        "The last head is missing. Count the rows: every head brings d_head of them.",
        caught_by=MAIN,
        edits=[(RETURN, f"return {JOINED}[: -head_weights[0].shape[0]]")],
    ),
    Mistake(
        "first-head-only",
        "Only the first head's matrix is in the result. Every head brings its own rows.",
        caught_by=MAIN,
        edits=[(JOINED, "head_weights[0] * 1")],
    ),
    Mistake(
        "last-head-only",
        "Only the last head's matrix is in the result. Does each round of the loop overwrite the one before?",
        caught_by=MAIN,
        edits=[(JOINED, "head_weights[-1] * 1")],
    ),
    Mistake(
        "one-head-repeated",
        "The first head's matrix was repeated. Every head brings its own rows.",
        caught_by=MAIN,
        edits=[(JOINED, "head_weights[0].repeat(len(head_weights), 1)")],
    ),
    Mistake(
        "block-diagonal",
        "The matrices are on the diagonal, with zeros around. That would give each head a part of x of its own; all heads read the same x.",
        caught_by=MAIN,
        edits=[(JOINED, f"torch.block_diag(*{HEADS})")],
    ),
    Mistake(
        "multiplied",
        "The matrices were multiplied with one another. The heads work side by side, not one after the other: join their rows.",
        caught_by=MAIN,
        edits=[
            (
                RETURN,
                "result = head_weights[0]\n    for weight in head_weights[1:]:\n        result = result @ weight\n    return result",
            )
        ],
    ),
    Mistake(
        "flattened",
        "All numbers came in one row. The result has two axes: (h · d_head, d_in).",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED}.flatten()")],
    ),
    Mistake(
        "squeezed",
        "Axes of size 1 were squeezed away. A single row, or a single column, keeps its axis.",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED}.squeeze()")],
    ),
    Mistake(
        "list-returned",
        "The list of the matrices came back. They have to become one tensor.",
        caught_by=MAIN,
        edits=[(JOINED, HEADS)],
    ),
    Mistake(
        "layer-returned",
        "An nn.Linear came back. Return a tensor: the matrix itself.",
        caught_by=MAIN,
        edits=[
            (
                RETURN,
                f"weight = {JOINED}\n    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)\n"
                "    layer.weight = torch.nn.Parameter(weight)\n    return layer",
            )
        ],
    ),
    Mistake(
        "float32-only",
        "The result is always float32. A tensor made with torch.zeros or torch.empty has that type unless it is told dtype=….",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED}.float()")],
    ),
    Mistake(
        "scaled",
        "The numbers were scaled on the way. Nothing is computed here: the rows are taken over as they are.",
        caught_by=MAIN,
        edits=[(JOINED, f"{JOINED} / head_weights[0].shape[0] ** 0.5")],
    ),
    Mistake(
        "list-emptied",
        "The matrices were taken out of the list that was passed in (pop, del, clear). The caller still needs it: only read from it.",
        caught_by=ALONE,
        edits=[(RETURN, f"result = {JOINED}\n    head_weights.clear()\n    return result")],
    ),
    Mistake(
        "first-one-popped",
        "The first matrix was taken out of the list that was passed in (pop). The caller still needs it: only read from it.",
        caught_by=ALONE,
        edits=[(RETURN, f"result = {JOINED}\n    head_weights.pop(0)\n    return result")],
    ),
    Mistake(
        "first-matrix-overwritten",
        "The matrix of the first head was changed in place. The caller still needs it: make new tensors.",
        caught_by=ALONE,
        edits=[(RETURN, f"result = {JOINED}\n    head_weights[0].detach().zero_()\n    return result")],
    ),
    Mistake(
        "detached",
        "The numbers are right, but .detach(), .data, .tolist() or an nn.Parameter made anew stops the gradients: nothing could be trained "
        "through it.",
        caught_by="test_gradients_reach_every_head",
        edits=[(JOINED, f"{JOINED}.detach()")],
    ),
    kept_from_the_last_call("combine_heads", MAIN),
]
