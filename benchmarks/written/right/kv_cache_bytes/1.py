# right: the product of a torch.Size of the whole cache
import torch


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    shape = (num_layers, 2, batch, nums_key_value_head, seq_len, head_dim)
    return torch.Size(shape).numel() * bytes_per_value
