# slip: single rows that lie next to each other are averaged instead of whole heads
import torch


def convert_to_gqa(state_dict: dict[str, torch.Tensor], nums_head: int, nums_key_value_head: int) -> dict[str, torch.Tensor]:
    n = nums_head // nums_key_value_head

    def pool(t):
        return t.unflatten(0, (-1, n)).mean(dim=1)

    return {name: pool(t) if name[:2] in ("k_", "v_") else t for name, t in state_dict.items()}
