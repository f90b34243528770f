import torch


def merge_heads(x):
    apart = torch.einsum("bhnd -> bnhd", x)
    return apart.reshape(*apart.shape[:2], -1)
