# slip: the rows are taken apart as (E, 3), every third row, instead of as three blocks of E rows
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    E = state_dict["out_proj.weight"].shape[0]
    weight = state_dict["in_proj_weight"].view(E, 3, E)
    bias = state_dict["in_proj_bias"].view(E, 3)
    new_state = {}
    for i, name in enumerate(["q_proj", "k_proj", "v_proj"]):
        new_state[f"{name}.weight"] = weight[:, i, :].clone()
        new_state[f"{name}.bias"] = bias[:, i].clone()
    new_state["o_proj.weight"] = state_dict["out_proj.weight"].clone()
    new_state["o_proj.bias"] = state_dict["out_proj.bias"].clone()
    return new_state
