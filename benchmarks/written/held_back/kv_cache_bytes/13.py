# slip: bytes_per_value is not used, the size of a float16 is taken always
import torch


def kv_cache_bytes(
    batch: int,
    seq_len: int,
    num_layers: int,
    nums_key_value_head: int,
    head_dim: int,
    bytes_per_value: int = 2,
) -> int:
    total = 0
    for _ in range(num_layers):
        k = torch.empty(batch, nums_key_value_head, seq_len, head_dim, dtype=torch.float16, device="meta")
        v = torch.empty_like(k)
        total += k.numel() * k.element_size() + v.numel() * v.element_size()
    return total
