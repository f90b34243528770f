# slip: the heads of a group are summed, not averaged
import torch


def convert_to_gqa(
    state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int
) -> dict[str, torch.Tensor]:
    out = dict(state_dict)
    group = nums_head // nums_key_value_head
    for key in ["k_proj.weight", "k_proj.bias", "v_proj.weight", "v_proj.bias"]:
        heads = state_dict[key].chunk(nums_head, dim=0)
        merged = [sum(heads[g * group : (g + 1) * group]) for g in range(nums_key_value_head)]
        out[key] = torch.cat(merged, dim=0)
    return out
