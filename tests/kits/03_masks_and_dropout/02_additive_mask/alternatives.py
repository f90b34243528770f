ALTERNATIVES = {
    "cached_and_empty_filled": """\
from functools import lru_cache


@lru_cache(maxsize=None)
def additive_mask(max_seq_len):
    mask = torch.empty(1, max_seq_len, max_seq_len).fill_(-torch.inf).triu_(1)
    return mask.to(torch.get_default_dtype())
""",
    "compare_positions": """\
def additive_mask(max_seq_len):
    position = torch.arange(max_seq_len)
    later = position[None, None, :] > position[None, :, None]
    return torch.where(later, -torch.inf, 0.0)
""",
    "divided_by_zero": '''\
def additive_mask(max_seq_len):
    """-1 / 0 above the diagonal; the zeros of the rest are minus zeros."""
    visible = torch.ones(max_seq_len, max_seq_len).tril()
    mask = (visible - 1) / visible
    mask *= 1.0
    return mask.view(1, max_seq_len, max_seq_len)
''',
    "fill_the_boolean_mask": """\
def causal_mask(num_tokens):
    return ~torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril()


def additive_mask(max_seq_len):
    mask = torch.zeros(max_seq_len, max_seq_len)
    mask.masked_fill_(causal_mask(max_seq_len), float("-inf"))
    return mask.unsqueeze(0)
""",
    "library_of_the_transformer": """\
from torch import nn


def additive_mask(max_seq_len):
    return nn.Transformer.generate_square_subsequent_mask(max_seq_len)[None]
""",
    "logarithm_of_the_lower_triangle": """\
def additive_mask(max_seq_len):
    return torch.tril(torch.ones(1, max_seq_len, max_seq_len)).log()
""",
    "loops": """\
import math


def additive_mask(max_seq_len):
    rows = []
    for query in range(max_seq_len):
        rows.append([-math.inf if key > query else 0.0 for key in range(max_seq_len)])
    return torch.tensor([rows])
""",
    "nan_replaced_in_the_mask": """\
def additive_mask(max_seq_len):
    product = torch.triu(torch.ones(1, max_seq_len, max_seq_len), diagonal=1) * float("-inf")
    return torch.nan_to_num(product, nan=0.0, neginf=-torch.inf)
""",
    "numpy_and_expand": """\
import numpy as np


def additive_mask(max_seq_len: int):
    mask = np.triu(np.full((max_seq_len, max_seq_len), -np.inf), k=1)
    return torch.from_numpy(mask).float().expand(1, -1, -1)
""",
}
