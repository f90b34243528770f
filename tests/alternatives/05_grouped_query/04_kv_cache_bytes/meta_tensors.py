import torch


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """Tensors without memory know how many numbers they would hold."""
    keys = torch.empty(batch, nums_key_value_head, seq_len, head_dim, device="meta")
    values = torch.empty_like(keys)
    return num_layers * bytes_per_value * (keys.numel() + values.numel())
