import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    return torch.tensor([[not i - window < j <= i for j in range(num_tokens)] for i in range(num_tokens)])
