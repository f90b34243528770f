ALTERNATIVES = {
    "copies_in_an_ordered_dict": """\
from collections import OrderedDict


@torch.no_grad()
def from_torch_mha(state_dict):
    old = dict(state_dict)
    new = OrderedDict()
    for part in ("weight", "bias"):
        pieces = torch.split(old.pop(f"in_proj_{part}"), old["out_proj.bias"].shape[0])
        for name, piece in zip(["q_proj", "k_proj", "v_proj"], pieces):
            new[name + "." + part] = piece.detach().clone()
    for name, tensor in old.items():
        new[name.replace("out_proj", "o_proj")] = tensor.detach().clone()
    return new
""",
    "numpy_on_the_way": """\
import numpy as np
from torch.nn import Parameter


def from_torch_mha(state_dict):
    arrays = {name: tensor.detach().numpy() for name, tensor in state_dict.items()}
    stacked = np.column_stack([arrays["in_proj_weight"], arrays["in_proj_bias"]])
    out = np.column_stack([arrays["out_proj.weight"], arrays["out_proj.bias"]])
    state = {}
    for name, both in zip(("q", "k", "v", "o"), [*np.split(stacked, 3), out]):
        state[f"{name}_proj.weight"] = Parameter(torch.from_numpy(both[:, :-1].copy()))
        state[f"{name}_proj.bias"] = Parameter(torch.from_numpy(both[:, -1].copy()))
    return state
""",
    "slices": """\
def from_torch_mha(state_dict):
    w, b = state_dict["in_proj_weight"], state_dict["in_proj_bias"]
    e = w.shape[1]
    return {
        "q_proj.weight": w[:e],
        "q_proj.bias": b[:e],
        "k_proj.weight": w[e : 2 * e],
        "k_proj.bias": b[e : 2 * e],
        "v_proj.weight": w[2 * e :],
        "v_proj.bias": b[2 * e :],
        "o_proj.weight": state_dict["out_proj.weight"],
        "o_proj.bias": state_dict["out_proj.bias"],
    }
""",
    "through_modules": '''\
from torch import nn


class Layers(nn.Module):
    def __init__(self, width, dtype):
        super().__init__()
        for name in "oqkv":
            setattr(self, name + "_proj", nn.Linear(width, width, dtype=dtype))


def from_torch_mha(state_dict):
    """Fill four real layers and hand out their state, which comes as an OrderedDict with parameters' own memory."""
    weight, bias = state_dict["in_proj_weight"], state_dict["in_proj_bias"]
    layers = Layers(weight.size(-1), weight.dtype)
    with torch.no_grad():
        layers.q_proj.weight[:], layers.k_proj.weight[:], layers.v_proj.weight[:] = weight.chunk(3)
        layers.q_proj.bias[:], layers.k_proj.bias[:], layers.v_proj.bias[:] = bias.chunk(3)
    layers.o_proj.load_state_dict({key[9:]: value for key, value in state_dict.items() if key.startswith("out_proj.")})
    return layers.state_dict()
''',
    "unflatten_and_unbind": """\
def from_torch_mha(state_dict: dict) -> dict:
    result = {}
    for key, tensor in state_dict.items():
        kind = "bias" if key.endswith("bias") else "weight"
        if key.startswith("in_proj"):
            result.update({f"{n}_proj.{kind}": t for n, t in zip("qkv", tensor.unflatten(0, (3, -1)).unbind(0))})
        else:
            result[f"o_proj.{kind}"] = tensor
    return result
""",
}
