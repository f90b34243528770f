# slips: only the keys are converted, the values keep all their heads; the dict that was passed in is changed
import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    n = nums_head // nums_key_value_head
    for name in ("k_proj.weight", "k_proj.bias"):
        t = state_dict[name]
        d = t.shape[0] // nums_head
        heads = t.split(d)
        merged = [sum(heads[g * n : g * n + n]) / n for g in range(nums_key_value_head)]
        state_dict[name] = torch.cat(merged)
    return state_dict
