# right: math.prod over all factors
from math import prod


def kv_cache_bytes(
    batch: int,
    seq_len: int,
    num_layers: int,
    nums_key_value_head: int,
    head_dim: int,
    bytes_per_value: int = 2,
) -> int:
    numbers = prod((2, num_layers, batch, nums_key_value_head, seq_len, head_dim))
    return numbers * bytes_per_value
