# slip: the bytes are taken for bits and divided by 8
def kv_cache_bytes(
    batch: int,
    seq_len: int,
    num_layers: int,
    nums_key_value_head: int,
    head_dim: int,
    bytes_per_value: int = 2,
) -> int:
    values = 2 * batch * seq_len * num_layers * nums_key_value_head * head_dim
    return values * bytes_per_value // 8
