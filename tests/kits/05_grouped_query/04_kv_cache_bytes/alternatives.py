ALTERNATIVES = {
    "bits_and_a_float": '''\
def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """By way of bits and a division: a float is exact up to 2**53, more than any cache there is."""
    numbers = 2.0 * batch * nums_key_value_head * seq_len * head_dim * num_layers
    bits = numbers * 8 * bytes_per_value
    return int(bits / 8)
''',
    "keys_and_values_apart": """\
def kv_cache_bytes(batch: int, seq_len: int, num_layers: int, nums_key_value_head: int, head_dim: int, bytes_per_value: int = 2) -> int:
    keys = batch * nums_key_value_head * seq_len * head_dim
    values = batch * nums_key_value_head * seq_len * head_dim
    per_layer = (keys + values) * bytes_per_value
    return num_layers * per_layer
""",
    "math_prod": """\
import math


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    return math.prod((2, batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value))
""",
    "meta_tensors": '''\
import torch


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """Tensors without memory know how many numbers they would hold."""
    keys = torch.empty(batch, nums_key_value_head, seq_len, head_dim, device="meta")
    values = torch.empty_like(keys)
    return num_layers * bytes_per_value * (keys.numel() + values.numel())
''',
    "numpy_int64": '''\
import numpy as np


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    """int64 is enough for any cache there is; handed out as a plain int."""
    shape = np.array([2, num_layers, batch, nums_key_value_head, seq_len, head_dim], dtype=np.int64)
    return int(shape.prod() * bytes_per_value)
''',
    "shift_and_reduce": """\
from functools import reduce
from operator import mul


def kv_cache_bytes(*sizes, bytes_per_value=2, **named):
    if len(sizes) == 6:
        *sizes, bytes_per_value = sizes
    return reduce(mul, [*sizes, *named.values()], bytes_per_value) << 1
""",
}
