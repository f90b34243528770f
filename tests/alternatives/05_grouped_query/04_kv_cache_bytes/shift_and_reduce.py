from functools import reduce
from operator import mul


def kv_cache_bytes(*sizes, bytes_per_value=2, **named):
    if len(sizes) == 6:
        *sizes, bytes_per_value = sizes
    return reduce(mul, [*sizes, *named.values()], bytes_per_value) << 1
