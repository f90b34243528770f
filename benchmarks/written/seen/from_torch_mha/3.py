# slip: the rows are taken in turns, every third row for each projection
import torch


def from_torch_mha(state_dict):
    out = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        out[name + ".weight"] = state_dict["in_proj_weight"][i::3].clone()
        out[name + ".bias"] = state_dict["in_proj_bias"][i::3].clone()
    out["o_proj.weight"] = state_dict["out_proj.weight"].clone()
    out["o_proj.bias"] = state_dict["out_proj.bias"].clone()
    return out
