def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """By way of bits and a division: a float is exact up to 2**53, more than any cache there is."""
    numbers = 2.0 * batch * nums_key_value_head * seq_len * head_dim * num_layers
    bits = numbers * 8 * bytes_per_value
    return int(bits / 8)
