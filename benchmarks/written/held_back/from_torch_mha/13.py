# slip: the entries are popped from the dict that was passed in
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    sd = state_dict
    in_proj_weight = sd.pop("in_proj_weight")
    in_proj_bias = sd.pop("in_proj_bias")
    embed_dim = in_proj_weight.size(1)
    result = {}
    for proj, w, b in zip("qkv", in_proj_weight.split(embed_dim), in_proj_bias.split(embed_dim)):
        result[proj + "_proj.weight"] = w
        result[proj + "_proj.bias"] = b
    result["o_proj.weight"] = sd.pop("out_proj.weight")
    result["o_proj.bias"] = sd.pop("out_proj.bias")
    return result
