# slip: the window reaches to both sides, later tokens are visible
import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    pos = torch.arange(num_tokens)
    distance = (pos[:, None] - pos[None, :]).abs()
    return distance >= window
