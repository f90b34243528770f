# right: rows filled one by one in nested Python lists
import torch


def sliding_window_mask(num_tokens, window):
    rows = [[not (i - window < j <= i) for j in range(num_tokens)] for i in range(num_tokens)]
    return torch.tensor(rows)
