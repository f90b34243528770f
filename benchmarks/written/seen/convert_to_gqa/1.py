# slip: the heads of a group are summed instead of averaged
import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    n = nums_head // nums_key_value_head
    out = {}
    for name, t in state_dict.items():
        if name.startswith(("k_proj", "v_proj")):
            d = t.shape[0] // nums_head
            t = t.view(nums_key_value_head, n, d, *t.shape[1:]).sum(dim=1).reshape(nums_key_value_head * d, *t.shape[1:])
        out[name] = t
    return out
