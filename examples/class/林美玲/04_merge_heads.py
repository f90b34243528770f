import torch


def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)
