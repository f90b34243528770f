# slip: the three input biases are left at zero instead of being taken over
import torch


def from_torch_mha(state_dict):
    w_q, w_k, w_v = torch.tensor_split(state_dict["in_proj_weight"], 3)
    zeros = torch.zeros_like(w_q[:, 0])
    return {
        "q_proj.weight": w_q, "q_proj.bias": zeros,
        "k_proj.weight": w_k, "k_proj.bias": zeros.clone(),
        "v_proj.weight": w_v, "v_proj.bias": zeros.clone(),
        "o_proj.weight": state_dict["out_proj.weight"],
        "o_proj.bias": state_dict["out_proj.bias"],
    }
