import numpy as np
import torch
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
