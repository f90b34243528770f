ALTERNATIVES = {
    "adaptive_pooling": '''\
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
''',
    "averaging_matrix": '''\
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
''',
    "head_by_head": """\
import copy


@torch.no_grad()
def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    assert nums_head % nums_key_value_head == 0
    result = copy.deepcopy(dict(state_dict))
    size = nums_head // nums_key_value_head
    for layer in ("k_proj", "v_proj"):
        for part in ("weight", "bias"):
            heads = state_dict[f"{layer}.{part}"].chunk(nums_head)
            groups = [heads[i : i + size] for i in range(0, nums_head, size)]
            result[f"{layer}.{part}"] = torch.cat([sum(group) / size for group in groups])
    return result
""",
    "strided_slices_added": """\
from collections import OrderedDict


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    if nums_head == nums_key_value_head:
        return OrderedDict(state_dict)
    n = nums_head // nums_key_value_head

    def pooled(tensor):
        by_head = tensor.reshape(nums_head, tensor.shape[0] // nums_head, *tensor.shape[1:])
        total = by_head[0::n].double()
        for i in range(1, n):
            total = total + by_head[i::n]
        return (total / n).to(tensor.dtype).reshape(-1, *tensor.shape[1:])

    return OrderedDict((k, pooled(v) if k.startswith(("k_proj", "v_proj")) else v) for k, v in state_dict.items())
""",
    "view_and_mean": """\
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
""",
}
