# right: one averaging matrix made with kron, multiplied from the left
import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    n = nums_head // nums_key_value_head
    out = {}
    for name, t in state_dict.items():
        if name.split(".")[0] in {"k_proj", "v_proj"}:
            d = t.shape[0] // nums_head
            groups = torch.kron(torch.eye(nums_key_value_head, dtype=t.dtype), torch.full((1, n), 1 / n, dtype=t.dtype))
            out[name] = torch.kron(groups, torch.eye(d, dtype=t.dtype)) @ t
        else:
            out[name] = t
    return out
