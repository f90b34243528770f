# slip: only the first head of every group is kept, nothing is averaged
import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    rep = nums_head // nums_key_value_head
    result = {}
    for key, value in state_dict.items():
        if "k_proj" in key or "v_proj" in key:
            heads = value.chunk(nums_head, dim=0)
            result[key] = torch.cat(heads[::rep], dim=0)
        else:
            result[key] = value.clone()
    return result
