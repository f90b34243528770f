from collections.abc import Mapping

import torch
from families.state_dicts import leaves_dict_alone, plain

from grader.judge.authoring import Case, called_again, expect, points, same

ENTRY = "from_torch_mha"
NAMES = [f"{name}_proj.{part}" for name in "qkvo" for part in ("weight", "bias")]


def numbers(draw, width):
    """Numbers for every parameter of nn.MultiheadAttention, the biases included (torch itself begins with zeros)."""
    return {
        "in_proj_weight": draw.normal(3 * width, width),
        "in_proj_bias": draw.normal(3 * width),
        "out_proj.weight": draw.normal(width, width),
        "out_proj.bias": draw.normal(width),
    }


def case(weights, heads=1, *, dtype=torch.float32, return_given=False):
    """The state dict of a real nn.MultiheadAttention is passed in; `return_given`: it is also returned as it is afterwards."""
    asked = Case()
    library = asked.library_module("MultiheadAttention", weights["out_proj.bias"].numel(), heads)
    asked.load(library, weights)
    asked.prepare(library, dtype=dtype)
    state = asked.call(library, method="state_dict")
    asked.output = asked.call(asked.entry(ENTRY), state, return_as="output")
    if return_given:
        asked.return_value(state, "given")
    return asked


@points(1, visible=True)
def test_one_head_of_width_two(learner, draw):
    """With E = 2 the rows 0 and 1 of in_proj_weight are q_proj's, the rows 2 and 3 k_proj's, the rows 4 and 5 v_proj's."""
    weights = {
        "in_proj_weight": torch.arange(12.0).reshape(6, 2),
        "in_proj_bias": torch.arange(100.0, 106.0),
        "out_proj.weight": torch.tensor([[50.0, 51.0], [52.0, 53.0]]),
        "out_proj.bias": torch.tensor([200.0, 201.0]),
    }
    (answer,) = learner.ask(plain(ENTRY, weights))
    state = answer["output"]
    expect(isinstance(state, Mapping), "Return a dict, from the names of the parameters to their tensors.")
    missing = [name for name in NAMES if name not in state]
    expect(not missing, f"Missing in the dict that is returned: {', '.join(missing)}.")
    for place, name in enumerate("qkv"):
        rows = slice(2 * place, 2 * place + 2)
        for part in ("weight", "bias"):
            due = weights[f"in_proj_{part}"][rows]
            came = state[f"{name}_proj.{part}"]
            shown = came.tolist() if isinstance(came, torch.Tensor) and came.numel() <= 20 else "no tensor of this size"
            expect(same(came, due), f"{name}_proj.{part} should be {due.tolist()}; yours is {shown}.")


@points(4, role="main")
def test_names_and_numbers(learner, draw):
    """All eight names are there and no other, each with its own part of the numbers, whatever the number of heads."""
    width, heads = draw.distinct(2, 2, 4)
    again = plain(ENTRY, numbers(draw, width))
    learner.agrees(
        case(numbers(draw, width)),
        called_again(again, {name: again.tensor(tensor) for name, tensor in numbers(draw, width).items()}),
        case(numbers(draw, width * heads), heads),
        # a multiple of three: the columns could be cut in three as well
        case(numbers(draw, 3), 3),
        case(numbers(draw, 6), draw.integer(2, 3)),
        case(numbers(draw, 1)),
        plain(ENTRY, numbers(draw, width + 3)),
    )


@points(1)
def test_dtype_is_kept(learner, draw):
    """float64 stays float64."""
    learner.agrees(
        case(numbers(draw, draw.integer(2, 5)), dtype=torch.float64),
        case(numbers(draw, 4), 2, dtype=torch.float64),
    )


@points(1, role="manners")
def test_state_dict_is_left_alone(learner, draw):
    """The dict that was passed in still has all its names, and its tensors their numbers."""
    given = [numbers(draw, draw.integer(2, 4)), numbers(draw, 6)]
    answers = learner.ask(*[case(weights, return_given=True) for weights in given])
    for answer, weights in zip(answers, given, strict=True):
        leaves_dict_alone(answer["given"], weights, "Make new tensors instead.")
