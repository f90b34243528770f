from families import kept

from grader.judge.authoring import Mistake

ALONE = "test_state_dict_is_left_alone"
NAMES = '("k_proj.weight", "k_proj.bias", "v_proj.weight", "v_proj.bias")'
NEW = "state = dict(state_dict)"
HEADS = "heads = state_dict[name].unflatten(0, (nums_key_value_head, group, -1))"
MEAN = "heads.mean(dim=1).flatten(0, 1)"
PUT = "state[name] = " + MEAN
END = "return state"


def instead_of_mean(code):
    return [(MEAN, code)]


def biases_become(code):
    """The weights are averaged as they should, the biases are not."""
    return [(PUT, f"{PUT}\n        if name.endswith('bias'):\n            state[name] = {code}")]


MISTAKES = [
    # --- what becomes of a group
    Mistake(
        "first-head-kept",
        "The first head of each group was kept and the others thrown away. The new head is the average of all heads of its group.",
        edits=instead_of_mean("heads[:, 0].flatten(0, 1)"),
    ),
    Mistake(
        "summed",
        "The heads of a group were added up. Divide by their number: it is the average.",
        edits=instead_of_mean("heads.sum(dim=1).flatten(0, 1)"),
    ),
    Mistake(
        "always-two",
        "Two heads of each group were averaged, and a group may have more. It has nums_head // nums_key_value_head heads.",
        edits=instead_of_mean("heads[:, :2].mean(dim=1).flatten(0, 1)"),
    ),
    Mistake(
        "one-head-for-all",
        "Only one head is left. There should be nums_key_value_head of them, each the average of its own group.",
        edits=instead_of_mean("heads.mean(dim=(0, 1))"),
    ),
    Mistake(
        "divided-by-kv",
        "The sum was divided by nums_key_value_head, the number of groups. A group has nums_head // nums_key_value_head heads.",
        edits=instead_of_mean("(heads.sum(dim=1) / nums_key_value_head).flatten(0, 1)"),
    ),
    Mistake(
        "all-heads-averaged",
        "Every new head is the average of all old ones. Each has a group of its own.",
        edits=instead_of_mean("heads.mean(dim=(0, 1)).repeat(nums_key_value_head, *[1] * (heads.dim() - 3))"),
    ),
    # --- who belongs to a group
    Mistake(
        "interleaved",
        "Heads that lie nums_key_value_head apart were put into one group. Neighbours form a group: (kv, group, head_dim), average over the group.",
        edits=[(HEADS, "heads = state_dict[name].unflatten(0, (group, nums_key_value_head, -1)).transpose(0, 1)")],
    ),
    Mistake(
        "rows-not-heads",
        "Neighbouring rows were averaged, not neighbouring heads. A head has head_dim rows: row 0 of one is averaged with row 0 of the next.",
        edits=[(HEADS, "heads = state_dict[name].unflatten(0, (-1, group, 1))")],
    ),
    Mistake(
        "group-and-kv-exchanged",
        "The two numbers are exchanged: nums_key_value_head neighbours were averaged. A group has nums_head // nums_key_value_head heads, and there "
        "are nums_key_value_head groups.",
        edits=[(HEADS, HEADS.replace("(nums_key_value_head, group, -1)", "(group, nums_key_value_head, -1)"))],
    ),
    Mistake(
        "group-and-kv-interleaved",
        "The average runs over the groups, not over the heads within a group.",
        edits=[
            (HEADS, "heads = state_dict[name].unflatten(0, (nums_key_value_head, group, -1)).transpose(0, 1)"),
        ],
    ),
    Mistake(
        "repeated-to-full-width",
        "The averages were repeated for every head again, so nothing got smaller. k_proj and v_proj shrink to nums_key_value_head heads.",
        edits=instead_of_mean("heads.mean(dim=1, keepdim=True).expand_as(heads).flatten(0, 2)"),
    ),
    Mistake(
        "heads-left-apart",
        "The averages still have an axis for the heads. Join heads and head_dim again: (kv · head_dim, hidden_dim).",
        edits=instead_of_mean("heads.mean(dim=1)"),
    ),
    # --- which parameters
    Mistake(
        "biases-left",
        "The biases of k_proj and v_proj were left as they are. They are as long as the layer has outputs, and are averaged like the rows.",
        edits=[(NAMES, '("k_proj.weight", "v_proj.weight")')],
    ),
    Mistake(
        "biases-lost",
        "The biases of k_proj and v_proj are missing. They are averaged like the rows of the weights.",
        edits=[
            (
                END,
                'return {name: tensor for name, tensor in state.items() if name not in ("k_proj.bias", "v_proj.bias")}',
            )
        ],
    ),
    Mistake(
        "biases-cut",
        "The biases were cut to their first part. They are averaged in groups, like the rows of the weights.",
        edits=biases_become("state_dict[name][: len(state[name])]"),
    ),
    Mistake(
        "values-forgotten",
        "v_proj is as wide as before. Values have as many heads as keys.",
        edits=[(NAMES, '("k_proj.weight", "k_proj.bias")')],
    ),
    Mistake(
        "keys-forgotten",
        "k_proj is as wide as before. Keys and values shrink alike.",
        edits=[(NAMES, '("v_proj.weight", "v_proj.bias")')],
    ),
    Mistake(
        "keys-and-values-swapped",
        "The averages of k_proj are under the names of v_proj, and those of v_proj under the names of k_proj.",
        edits=[("state[name] =", "state[{'k': 'v', 'v': 'k'}[name[0]] + name[1:]] =")],
    ),
    Mistake(
        "output-columns-averaged",
        "o_proj was made narrower. There are still nums_head query heads, and each brings head_dim numbers to it: o_proj stays as it is.",
        edits=[
            (
                END,
                "heads = state['o_proj.weight'].unflatten(1, (nums_key_value_head, group, -1))\n"
                "    state['o_proj.weight'] = heads.mean(dim=2).flatten(1, 2)\n"
                "    return state",
            )
        ],
    ),
    Mistake(
        "queries-averaged-too",
        "q_proj was averaged as well. There are still nums_head query heads; only keys and values are shared.",
        edits=[
            (NAMES, '("q_proj.weight", "q_proj.bias", "k_proj.weight", "k_proj.bias", "v_proj.weight", "v_proj.bias")')
        ],
    ),
    Mistake(
        "all-layers-averaged",
        "All four layers were averaged. Only keys and values are shared: q_proj and o_proj stay as they are.",
        edits=[(NAMES, "state_dict")],
    ),
    Mistake(
        "returned-unchanged",
        "Everything came back as it was: k_proj and v_proj still have all their heads.",
        edits=[(END, "return state_dict")],
    ),
    Mistake(
        "nothing-returned",
        "None came back. Is there a `return`?",
        edits=[(END, "return None")],
    ),
    # --- manners
    Mistake(
        "dtype-lost",
        "The averages are float32 whatever comes in. A float64 state stays float64.",
        caught_by="test_dtype_is_kept",
        edits=[(MEAN, "heads.float().mean(dim=1).flatten(0, 1)")],
    ),
    Mistake(
        "written-into-the-old-dict",
        "The averages were written into the dict that was passed in. The caller still needs it: copy it first.",
        caught_by=ALONE,
        edits=[(NEW, "state = state_dict")],
    ),
    Mistake(
        "names-popped",
        "The dict that was passed in lost some of its names (pop or del). The caller still needs it: read with [...].",
        caught_by=ALONE,
        edits=[("heads = state_dict[name].", "heads = state_dict.pop(name).")],
    ),
    Mistake(
        "numbers-overwritten",
        "The tensors that were passed in were changed in place. Their owner still needs them: make new ones.",
        caught_by=ALONE,
        edits=[(PUT, f"{PUT}\n        state_dict[name].zero_()")],
    ),
    kept.from_the_last_call("convert_to_gqa"),
]
