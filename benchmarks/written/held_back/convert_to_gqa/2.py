# slip: the groups are made of heads that lie kv apart, view(n, kv) instead of view(kv, n)
import torch


def convert_to_gqa(state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int) -> dict[str, torch.Tensor]:
    new_state = dict(state_dict)
    group_size = nums_head // nums_key_value_head
    for proj in ("k_proj", "v_proj"):
        w = state_dict[f"{proj}.weight"]
        b = state_dict[f"{proj}.bias"]
        head_dim = w.shape[0] // nums_head
        w = w.reshape(group_size, nums_key_value_head, head_dim, w.shape[1]).mean(0)
        b = b.reshape(group_size, nums_key_value_head, head_dim).mean(0)
        new_state[f"{proj}.weight"] = w.flatten(0, 1)
        new_state[f"{proj}.bias"] = b.flatten()
    return new_state
