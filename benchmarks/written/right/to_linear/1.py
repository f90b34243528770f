# right: an empty layer on the meta device that load_state_dict(assign=True) fills
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    n_in, n_out = weight.shape
    linear = nn.Linear(n_in, n_out, bias=False, device="meta")
    state = {"weight": weight.detach().clone().movedim(0, 1).contiguous()}
    linear.load_state_dict(state, assign=True)
    linear.requires_grad_(True)
    return linear
