# slip: the head's width is squared (the cost of scores taken for that of the cache)
def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    keys = batch * nums_key_value_head * seq_len * head_dim * head_dim
    values = batch * nums_key_value_head * seq_len * head_dim * head_dim
    return (keys + values) * num_layers * bytes_per_value
