# slips: the biases of keys and values are exchanged; the output layer keeps the name out_proj
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    E = state_dict["out_proj.weight"].shape[0]
    ws = torch.split(state_dict["in_proj_weight"], E, dim=0)
    bs = torch.split(state_dict["in_proj_bias"], E)
    names = ["q_proj", "k_proj", "v_proj"]
    converted = {f"{n}.weight": w for n, w in zip(names, ws)}
    converted["q_proj.bias"], converted["v_proj.bias"], converted["k_proj.bias"] = bs
    converted["out_proj.weight"] = state_dict["out_proj.weight"]
    converted["out_proj.bias"] = state_dict["out_proj.bias"]
    return converted
