# right: an averaging matrix over the heads and einsum
import torch


def convert_to_gqa(
    state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int
) -> dict[str, torch.Tensor]:
    n = nums_head // nums_key_value_head
    new = {}
    for name, tensor in state_dict.items():
        if name.split(".")[0] not in ("k_proj", "v_proj"):
            new[name] = tensor
            continue
        avg = torch.eye(nums_key_value_head, dtype=tensor.dtype).repeat_interleave(n, dim=1) / n
        heads = tensor.unflatten(0, (nums_head, -1))
        new[name] = torch.einsum("gh,h...->g...", avg, heads).flatten(0, 1)
    return new
