# slip: only the keys are counted, the factor 2 for keys and values is missing
def kv_cache_bytes(
    batch: int,
    seq_len: int,
    num_layers: int,
    nums_key_value_head: int,
    head_dim: int,
    bytes_per_value: int = 2,
) -> int:
    per_token = nums_key_value_head * head_dim * bytes_per_value
    return batch * seq_len * num_layers * per_token
