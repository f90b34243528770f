# slip: pops the entries, so the dict that was passed in is emptied
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    weight = state_dict.pop("in_proj_weight")
    bias = state_dict.pop("in_proj_bias")
    dim = weight.size(0) // 3
    result = {}
    for i, prefix in enumerate(("q", "k", "v")):
        result[f"{prefix}_proj.weight"] = weight[i * dim : (i + 1) * dim, :]
        result[f"{prefix}_proj.bias"] = bias[i * dim : (i + 1) * dim]
    result["o_proj.weight"] = state_dict.pop("out_proj.weight")
    result["o_proj.bias"] = state_dict.pop("out_proj.bias")
    return result
