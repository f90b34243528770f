import math


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    return math.prod((2, batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value))
