import torch


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    """One matrix that averages: (kv, h) with 1/n for the members of a group, made as wide as the heads by kron."""
    share = torch.eye(nums_key_value_head).repeat_interleave(nums_head // nums_key_value_head, dim=1)
    share = share / share.sum(dim=1, keepdim=True)
    state = state_dict.copy()
    for name in state:
        if name[0] in "kv":
            tensor = state[name]
            width = tensor.shape[0] // nums_head
            state[name] = torch.kron(share, torch.eye(width)).to(tensor.dtype) @ tensor
    return state
