# right: a fourth root on each side, axes moved with movedim
import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    fourth_root = query.shape[-1] ** 0.25
    return (query / fourth_root) @ (key / fourth_root).movedim(-1, -2)
