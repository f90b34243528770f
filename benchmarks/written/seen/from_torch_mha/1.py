# slip: the three blocks are read in the order key, query, value
import torch


def from_torch_mha(state_dict):
    E = state_dict["in_proj_weight"].shape[1]
    w, b = state_dict["in_proj_weight"], state_dict["in_proj_bias"]
    return {
        "k_proj.weight": w[:E],
        "k_proj.bias": b[:E],
        "q_proj.weight": w[E : 2 * E],
        "q_proj.bias": b[E : 2 * E],
        "v_proj.weight": w[2 * E :],
        "v_proj.bias": b[2 * E :],
        "o_proj.weight": state_dict["out_proj.weight"],
        "o_proj.bias": state_dict["out_proj.bias"],
    }
