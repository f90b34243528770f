from families import kept

from grader.judge.authoring import Mistake

WEIGHTS = 'weights = state_dict["in_proj_weight"].chunk(3, dim=0)'
BIASES = 'biases = state_dict["in_proj_bias"].chunk(3, dim=0)'
PUT_WEIGHT = 'state[f"{name}_proj.weight"] = weight'
PUT_BIAS = 'state[f"{name}_proj.bias"] = bias'
OUT = 'state = {"o_proj.weight": state_dict["out_proj.weight"], "o_proj.bias": state_dict["out_proj.bias"]}'
OUT_WEIGHT, OUT_BIAS = '"o_proj.weight": state_dict["out_proj.weight"]', '"o_proj.bias": state_dict["out_proj.bias"]'
END = "return state"
OTHER_ORDERS = ("kqv", "qvk", "vkq")


def in_order(names):
    return Mistake(
        f"in-the-order-{names}",
        "The three parts were given to the wrong names. From top to bottom in_proj_weight holds queries, keys, values; the bias alike.",
        edits=[('zip("qkv"', f'zip("{names}"')],
    )


def parts_in_order(what, names):
    """Only the weights, or only the biases, are in another order than q, k, v."""
    code, other = (WEIGHTS, "bias") if what == "weights" else (BIASES, "weight")
    order = ", ".join(str(names.index(name)) for name in "qkv")
    return Mistake(
        f"{what}-in-the-order-{names}",
        f"Only the {what} were given to the wrong names; the {other} parts are right. From top to bottom: queries, keys, values.",
        edits=[(code, f"{code}\n    {what} = [{what}[i] for i in ({order})]")],
    )


def with_weights(code):
    return [(WEIGHTS, code)]


MISTAKES = [
    *[in_order(names) for names in OTHER_ORDERS],
    *[parts_in_order(what, names) for what in ("weights", "biases") for names in OTHER_ORDERS[:2]],
    # --- how the tall matrix is cut
    Mistake(
        "cut-into-columns",
        "in_proj_weight was cut along its columns (dim=1, the inputs). The three parts lie one below the other: cut the rows, dim=0.",
        edits=with_weights('weights = state_dict["in_proj_weight"].tensor_split(3, dim=1)'),
    ),
    Mistake(
        "reshaped-to-the-side",
        "The rows of in_proj_weight and of the bias were taken in steps of 3 (or by a reshape to (E, 3, E)). The first E rows are the "
        "queries', the next E the keys', the last E the values'.",
        edits=[
            (WEIGHTS, 'weights = state_dict["in_proj_weight"].unflatten(0, (-1, 3)).unbind(1)'),
            (BIASES, 'biases = state_dict["in_proj_bias"].unflatten(0, (-1, 3)).unbind(1)'),
        ],
    ),
    Mistake(
        "first-part-for-all",
        "All three layers got the same rows. The queries' rows come first, then the keys', then the values'.",
        edits=with_weights(WEIGHTS.replace("chunk(3, dim=0)", "chunk(3, dim=0)[:1] * 3")),
    ),
    Mistake(
        "nothing-cut",
        "in_proj_weight and in_proj_bias were passed on as a whole. Each of the three layers gets its own third of the rows.",
        edits=[
            (WEIGHTS, 'weights = [state_dict["in_proj_weight"]] * 3'),
            (BIASES, 'biases = [state_dict["in_proj_bias"]] * 3'),
        ],
    ),
    Mistake(
        "cut-by-heads",
        "in_proj_weight was read as heads of (query, key, value) each. It holds all queries, then all keys, then all values; "
        "the heads are inside these.",
        edits=[
            (
                WEIGHTS,
                'width = state_dict["out_proj.bias"].numel()\n'
                "    heads = 2 if width % 2 == 0 else 1\n"
                '    weights = state_dict["in_proj_weight"].view(heads, 3, -1, width).transpose(0, 1).reshape(3, width, width)',
            ),
            (BIASES, 'biases = state_dict["in_proj_bias"].view(heads, 3, -1).transpose(0, 1).reshape(3, width)'),
        ],
    ),
    # --- transposed
    Mistake(
        "all-transposed",
        "The matrices were transposed. torch.nn.MultiheadAttention and nn.Linear both store (outputs, inputs), so they fit as they are.",
        edits=[(PUT_WEIGHT, PUT_WEIGHT + ".T"), (OUT_WEIGHT, OUT_WEIGHT + ".T")],
    ),
    Mistake(
        "in-transposed",
        "The matrices of q_proj, k_proj and v_proj were transposed. torch.nn.MultiheadAttention and nn.Linear both store (outputs, inputs).",
        edits=[(PUT_WEIGHT, PUT_WEIGHT + ".T")],
    ),
    Mistake(
        "out-transposed",
        "The matrix of o_proj was transposed. torch.nn.MultiheadAttention and nn.Linear both store (outputs, inputs).",
        edits=[(OUT_WEIGHT, OUT_WEIGHT + ".T")],
    ),
    # --- what is missing or has another name
    Mistake(
        "biases-lost",
        "The biases are missing. in_proj_bias is cut in three like the weight, and out_proj.bias becomes o_proj.bias.",
        edits=[(PUT_BIAS, "pass"), (", " + OUT_BIAS, "")],
    ),
    Mistake(
        "in-biases-lost",
        "The biases of q_proj, k_proj and v_proj are missing. in_proj_bias is cut in three like the weight.",
        edits=[(PUT_BIAS, "pass")],
    ),
    Mistake(
        "in-biases-zeroed",
        "The biases of q_proj, k_proj and v_proj are zeros. They are in in_proj_bias, cut in three like the weight.",
        edits=[(PUT_BIAS, PUT_BIAS + " * 0")],
    ),
    Mistake(
        "output-layer-lost",
        "o_proj is missing: out_proj.weight and out_proj.bias go there.",
        edits=[(OUT, "state = {}")],
    ),
    Mistake(
        "out-proj-not-renamed",
        "The last layer still has torch's name out_proj. In our class it is o_proj.",
        edits=[('"o_proj.weight":', '"out_proj.weight":'), ('"o_proj.bias":', '"out_proj.bias":')],
    ),
    Mistake(
        "underscore-names",
        "The names need a dot between layer and parameter: q_proj.weight, q_proj.bias.",
        edits=[('_proj.weight"] =', '_proj_weight"] ='), ('_proj.bias"] =', '_proj_bias"] =')],
    ),
    Mistake(
        "names-of-the-matrices",
        "The names are not those of padded_multi_head_attention: q_proj, k_proj, v_proj and o_proj, each with .weight and .bias.",
        edits=[('_proj.weight"] =', '.weight"] ='), ('_proj.bias"] =', '.bias"] =')],
    ),
    Mistake(
        "old-names-kept",
        "torch's names are in the result, too. Only the eight names of our class belong there.",
        edits=[(END, "return {**state_dict, **state}")],
    ),
    Mistake(
        "only-renamed",
        "out_proj was renamed, but in_proj_weight and in_proj_bias are still whole. Cut each in three, for q_proj, k_proj and v_proj.",
        edits=[(END, 'return {name.replace("out_proj", "o_proj"): tensor for name, tensor in state_dict.items()}')],
    ),
    Mistake(
        "returned-unchanged",
        "The state dict came back as it was. Return a new dict with the eight names of our class.",
        edits=[(END, "return state_dict")],
    ),
    Mistake(
        "nothing-returned",
        "None came back. Is there a `return` at the end?",
        edits=[(END, "return None")],
    ),
    Mistake(
        "tuple-returned",
        "The bare tensors came back. Return a dict, from names to tensors.",
        edits=[(END, "return tuple(state.values())")],
    ),
    # --- manners
    Mistake(
        "dtype-lost",
        "Everything became float32. A float64 state stays float64.",
        caught_by="test_dtype_is_kept",
        edits=[(END, "return {name: tensor.float() for name, tensor in state.items()}")],
    ),
    Mistake(
        "names-popped",
        "The dict that was passed in lost its names (pop or del). The caller still needs it: read with [...].",
        caught_by="test_state_dict_is_left_alone",
        edits=[(END, "state_dict.clear()\n    return state")],
    ),
    Mistake(
        "written-into-the-old-dict",
        "The new names were written into the dict that was passed in. Make a dict of your own.",
        caught_by="test_state_dict_is_left_alone",
        edits=[(END, "state_dict.update(state)\n    return state")],
    ),
    kept.from_the_last_call("from_torch_mha"),
]
