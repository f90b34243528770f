# slips: counts queries, keys and values (factor 3); the batch is forgotten
def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    hidden = nums_key_value_head * head_dim
    total = 0
    for _ in range(num_layers):
        total += 3 * seq_len * hidden * bytes_per_value
    return total
