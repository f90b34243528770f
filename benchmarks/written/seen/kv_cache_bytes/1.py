# slip: only the keys are counted, the factor 2 is missing
def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    return batch * seq_len * num_layers * nums_key_value_head * head_dim * bytes_per_value
