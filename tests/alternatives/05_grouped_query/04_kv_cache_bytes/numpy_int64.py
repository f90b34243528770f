import numpy as np


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """int64 is enough for any cache there is; handed out as a plain int."""
    shape = np.array([2, num_layers, batch, nums_key_value_head, seq_len, head_dim], dtype=np.int64)
    return int(shape.prod() * bytes_per_value)
