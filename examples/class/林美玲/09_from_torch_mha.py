from collections import OrderedDict
import torch


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
