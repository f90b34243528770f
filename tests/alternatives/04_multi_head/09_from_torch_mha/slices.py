def from_torch_mha(state_dict):
    w, b = state_dict["in_proj_weight"], state_dict["in_proj_bias"]
    e = w.shape[1]
    return {
        "q_proj.weight": w[:e],
        "q_proj.bias": b[:e],
        "k_proj.weight": w[e : 2 * e],
        "k_proj.bias": b[e : 2 * e],
        "v_proj.weight": w[2 * e :],
        "v_proj.bias": b[2 * e :],
        "o_proj.weight": state_dict["out_proj.weight"],
        "o_proj.bias": state_dict["out_proj.bias"],
    }
