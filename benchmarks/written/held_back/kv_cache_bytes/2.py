# slip: true division, the result is a float number of bytes
def kv_cache_bytes(
    batch: int, seq_len: int, num_layers: int, nums_key_value_head: int, head_dim: int, bytes_per_value: int = 2
) -> int:
    bits = 2 * batch * seq_len * num_layers * nums_key_value_head * head_dim * bytes_per_value * 8
    return bits / 8
