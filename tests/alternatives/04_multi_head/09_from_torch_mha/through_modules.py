import torch
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
