# slip: the number of layers is forgotten
def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    k_cache_shape = (batch, nums_key_value_head, seq_len, head_dim)
    numbers = 1
    for size in k_cache_shape:
        numbers *= size
    return int(2 * numbers * bytes_per_value)
