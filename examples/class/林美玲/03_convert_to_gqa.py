import torch
import torch.nn.functional as F


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    """Average pooling along the heads, every column of every head for itself."""
    state = {**state_dict}
    for name in ("k_proj.weight", "v_proj.weight", "k_proj.bias", "v_proj.bias"):
        tensor = state[name]
        heads = tensor.reshape(nums_head, -1).T.unsqueeze(0)
        pooled = F.avg_pool1d(heads, nums_head // nums_key_value_head).squeeze(0).T
        state[name] = torch.reshape(pooled, (-1, *tensor.shape[1:]))
    return state
