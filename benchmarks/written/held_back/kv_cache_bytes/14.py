# slips: the layers are forgotten; queries are counted along with keys and values
import math


def kv_cache_bytes(
    batch: int,
    seq_len: int,
    num_layers: int,
    nums_key_value_head: int,
    head_dim: int,
    bytes_per_value: int = 2,
) -> int:
    shape = (batch, seq_len, nums_key_value_head, head_dim)
    n_tensors = 3
    return n_tensors * math.prod(shape) * bytes_per_value
