# slip: the layer keeps a randomly drawn bias
import torch
import torch.nn as nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    fan_in, fan_out = weight.shape
    fc = nn.Linear(fan_in, fan_out, dtype=weight.dtype)
    fc.load_state_dict({"weight": weight.detach().T}, strict=False)
    return fc
