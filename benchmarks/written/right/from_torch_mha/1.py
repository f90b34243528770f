# right: a table of names and a reshape into three blocks, unbound
import torch

NAMES = ("q_proj", "k_proj", "v_proj")


def from_torch_mha(state_dict):
    fresh = {new: state_dict[old].clone() for new, old in (("o_proj.weight", "out_proj.weight"), ("o_proj.bias", "out_proj.bias"))}
    for kind in ("weight", "bias"):
        blocks = state_dict["in_proj_" + kind].unflatten(0, (3, -1)).unbind(0)
        fresh |= {f"{name}.{kind}": block.clone() for name, block in zip(NAMES, blocks)}
    return fresh
