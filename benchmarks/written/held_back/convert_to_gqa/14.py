# slips: the first head of every group is kept instead of the average; the dict that was passed in is changed
import torch


def convert_to_gqa(
    state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int
) -> dict[str, torch.Tensor]:
    n_rep = nums_head // nums_key_value_head
    for name in ("k_proj.weight", "k_proj.bias", "v_proj.weight", "v_proj.bias"):
        heads = torch.stack(state_dict[name].chunk(nums_head))
        state_dict[name] = heads[::n_rep].flatten(0, 1)
    return state_dict
