# slip: only the weights are averaged, of the biases the first kv heads are kept
import torch


def convert_to_gqa(
    state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int
) -> dict[str, torch.Tensor]:
    hidden_dim = state_dict["q_proj.weight"].shape[1]
    head_dim = hidden_dim // nums_head
    kv_dim = nums_key_value_head * head_dim
    result = {k: v.clone() for k, v in state_dict.items()}
    for p in ("k_proj", "v_proj"):
        w = state_dict[f"{p}.weight"].view(nums_key_value_head, -1, head_dim, hidden_dim)
        result[f"{p}.weight"] = w.mean(dim=1).reshape(kv_dim, hidden_dim)
        result[f"{p}.bias"] = state_dict[f"{p}.bias"][:kv_dim].clone()
    return result
