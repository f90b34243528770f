import copy

import torch


@torch.no_grad()
def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    assert nums_head % nums_key_value_head == 0
    result = copy.deepcopy(dict(state_dict))
    size = nums_head // nums_key_value_head
    for layer in ("k_proj", "v_proj"):
        for part in ("weight", "bias"):
            heads = state_dict[f"{layer}.{part}"].chunk(nums_head)
            groups = [heads[i : i + size] for i in range(0, nums_head, size)]
            result[f"{layer}.{part}"] = torch.cat([sum(group) / size for group in groups])
    return result
