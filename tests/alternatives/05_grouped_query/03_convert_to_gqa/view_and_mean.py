def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    hidden_dim = state_dict["q_proj.weight"].shape[0]
    head_dim = hidden_dim // nums_head
    group = nums_head // nums_key_value_head
    new = {}
    for name, tensor in state_dict.items():
        if name in ("k_proj.weight", "v_proj.weight"):
            new[name] = tensor.view(nums_key_value_head, group, head_dim, hidden_dim).mean(1).reshape(-1, hidden_dim)
        elif name in ("k_proj.bias", "v_proj.bias"):
            new[name] = tensor.view(nums_key_value_head, group, head_dim).mean(1).reshape(-1)
        else:
            new[name] = tensor.clone()
    return new
