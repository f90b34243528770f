from collections.abc import Mapping

import torch
from families.state_dicts import leaves_dict_alone, plain

from grader.judge.authoring import Case, called_again, expect, points, same

ENTRY = "convert_to_gqa"
LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj")


def numbers(draw, width):
    """Numbers for all four layers of a module with as many key heads as query heads."""
    return {
        f"{layer}.{part}": draw.normal(*shape)
        for layer in LAYERS
        for part, shape in (("weight", (width, width)), ("bias", (width,)))
    }


def case(weights, heads, kv, *, dtype=torch.float32, return_given=False):
    """The state dict of a real module is passed in; `return_given`: it is also returned as it is afterwards."""
    width = weights["q_proj.bias"].numel()
    asked = Case()
    holder = asked.library_module("Module")
    for layer in LAYERS:
        asked.call(holder, layer, asked.library_module("Linear", width, width), method="add_module")
    asked.load(holder, weights)
    asked.prepare(holder, dtype=dtype)
    state = asked.call(holder, method="state_dict")
    asked.output = asked.call(asked.entry(ENTRY), state, heads, kv, return_as="output")
    if return_given:
        asked.call(state, method="copy", return_as="given")
        asked.call(asked.output, method="clear")
        asked.return_value(state, "given, after what came back was emptied")
    return asked


@points(1, visible=True)
def test_four_heads_of_width_one(learner, draw):
    """Four key heads with the biases 1 3 5 9 become two with 2 7 (the average of neighbours), the values' likewise."""
    weights = numbers(draw, 4)
    weights["k_proj.bias"] = torch.tensor([1.0, 3.0, 5.0, 9.0])
    weights["v_proj.bias"] = torch.tensor([10.0, 20.0, 40.0, 80.0])
    (answer,) = learner.ask(plain(ENTRY, weights, 4, 2))
    state = answer["output"]
    expect(isinstance(state, Mapping), "Return a dict from the names of the parameters to their tensors.")
    for name, due in (("k_proj.bias", [2.0, 7.0]), ("v_proj.bias", [15.0, 60.0])):
        expect(name in state, f"Missing in the dict that is returned: {name}.")
        came = state[name]
        shown = came.tolist() if isinstance(came, torch.Tensor) and came.numel() <= 20 else "no tensor of 2 numbers"
        expect(same(came, torch.tensor(due)), f"{name} should become {due}; yours is {shown}.")


@points(3.5, role="main")
def test_heads_of_a_group_are_averaged(learner, draw):
    """Weights and biases of k_proj and v_proj become the averages of neighbouring heads; all else stays."""
    group, kv, head_dim = draw.distinct(3, 2, 5)
    side = draw.integer(2, 3)
    again = plain(ENTRY, numbers(draw, 6), 6, 2)
    learner.agrees(
        case(numbers(draw, group * kv * head_dim), group * kv, kv),
        called_again(again, {name: again.tensor(tensor) for name, tensor in numbers(draw, 6).items()}, 6, 2),
        case(numbers(draw, group * kv * kv), group * kv, kv),
        plain(ENTRY, numbers(draw, 2 * 3 * head_dim), 6, 3),
        case(numbers(draw, 3 * 2 * head_dim), 6, 2),
        # square: a wrong axis fits here without an error
        case(numbers(draw, side**3), side * side, side),
        case(numbers(draw, group * kv), group * kv, kv),
    )


@points(1)
def test_multi_head_and_multi_query(learner, draw):
    """With as many key heads as before nothing changes; with a single one it is the average of all."""
    heads, head_dim = draw.distinct(2, 2, 5)
    learner.agrees(
        case(numbers(draw, heads * head_dim), heads, heads),
        case(numbers(draw, heads * head_dim), heads, 1),
        case(numbers(draw, heads), heads, 1),
        case(numbers(draw, head_dim), 1, 1),
    )


@points(0.5)
def test_dtype_is_kept(learner, draw):
    """float64 stays float64."""
    head_dim = draw.integer(2, 4)
    learner.agrees(*[case(numbers(draw, 6 * head_dim), 6, kv, dtype=torch.float64) for kv in (6, 3, 2, 1)])


@points(1, role="manners")
def test_state_dict_is_left_alone(learner, draw):
    """The dict that was passed in still has all its names, and its tensors their numbers and shapes."""
    given = [(numbers(draw, 12), 6, kv) for kv in (3, 1, 6)]
    answers = learner.ask(*[case(*each, return_given=True) for each in given])
    for answer, (weights, *_) in zip(answers, given, strict=True):
        leaves_dict_alone(answer["given"], weights, "Put the averages into a dict of your own.")
        expect(
            answer["given, after what came back was emptied"],
            "The dict that was passed in came back. Return a new one.",
        )
