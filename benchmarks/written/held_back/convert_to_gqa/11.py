# slip: the heads are viewed as (n, kv), so every kv-th head forms a group instead of neighbours
import torch


def convert_to_gqa(
    state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int
) -> dict[str, torch.Tensor]:
    n = nums_head // nums_key_value_head
    new_state = {}
    for name, t in state_dict.items():
        if name.startswith(("k_proj", "v_proj")):
            d = t.shape[0] // nums_head
            grouped = t.reshape(n, nums_key_value_head, d, *t.shape[1:])
            new_state[name] = grouped.mean(dim=0).reshape(nums_key_value_head * d, *t.shape[1:])
        else:
            new_state[name] = t
    return new_state
