"""How large is the cache? A model that writes text keeps the keys and the values of all tokens, in every layer.

    Count the numbers that are kept, for every token of every sequence, in every layer. Then count their bytes.

    batch                  sequences that are written at the same time
    seq_len                tokens of each
    num_layers             layers of the model; each keeps keys and values of its own
    nums_key_value_head    key heads of a layer, as many as value heads
    head_dim               numbers in one head's key, as many as in its value
    bytes_per_value        bytes of one number: 2 for float16 and bfloat16, 4 for float32
    returns                a whole number (int), exact

Document: "手写大模型组件之 Group Query Attention", its first point: inference gets faster because the cache gets
smaller. For its hidden_dim = 128 with 8 heads, so head_dim = 16, one sequence of 1000 tokens in one layer:

    >>> kv_cache_bytes(1, 1000, 1, 8, 16), kv_cache_bytes(1, 1000, 1, 4, 16), kv_cache_bytes(1, 1000, 1, 1, 16)
    (512000, 256000, 64000)

The number of query heads does not matter: queries are used once and not kept.
"""


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """By way of bits and a division: a float is exact up to 2**53, more than any cache there is."""
    numbers = 2.0 * batch * nums_key_value_head * seq_len * head_dim * num_layers
    bits = numbers * 8 * bytes_per_value
    return int(bits / 8)
