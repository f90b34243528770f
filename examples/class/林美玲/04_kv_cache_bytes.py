def kv_cache_bytes(batch: int, seq_len: int, num_layers: int, nums_key_value_head: int, head_dim: int, bytes_per_value: int = 2) -> int:
    keys = batch * nums_key_value_head * seq_len * head_dim
    values = batch * nums_key_value_head * seq_len * head_dim
    per_layer = (keys + values) * bytes_per_value
    return num_layers * per_layer
