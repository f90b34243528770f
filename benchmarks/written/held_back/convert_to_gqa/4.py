# slip: the biases of keys and values are cut to the first rows instead of averaged
import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    hidden_dim = state_dict["q_proj.weight"].size(0)
    d = hidden_dim // nums_head
    kv = nums_key_value_head
    sd = {k: v.clone() for k, v in state_dict.items()}
    for p in ["k_proj", "v_proj"]:
        W = sd[p + ".weight"].view(nums_head, d, hidden_dim)
        groups = torch.stack([g.mean(dim=0) for g in W.split(nums_head // kv)])
        sd[p + ".weight"] = groups.reshape(kv * d, hidden_dim)
        sd[p + ".bias"] = sd[p + ".bias"][: kv * d]
    return sd
