ALTERNATIVES = {
    "compare_positions": """\
def causal_mask(num_tokens: int):
    position = torch.arange(num_tokens)
    return position[None, :] > position[:, None]
""",
    "cumulative_sum": """\
def causal_mask(num_tokens):
    seen = torch.eye(num_tokens, dtype=torch.int64)
    return (seen.cumsum(dim=-1) - seen).to(torch.bool)
""",
    "from_an_additive_mask": """\
from torch import nn


def causal_mask(num_tokens):
    return nn.Transformer.generate_square_subsequent_mask(num_tokens).isinf()
""",
    "loops": """\
def causal_mask(num_tokens):
    hidden = torch.full((num_tokens, num_tokens), False)
    for query in range(num_tokens):
        for key in range(query + 1, num_tokens):
            hidden[query, key] = True
    return hidden
""",
    "nested_lists": """\
import torch as t


def causal_mask(num_tokens):
    return t.tensor([[key > query for key in range(num_tokens)] for query in range(num_tokens)])
""",
    "not_the_lower_triangle": """\
def causal_mask(n):
    return ~torch.ones((n, n)).tril().bool()
""",
    "numpy_then_torch": """\
import numpy as np


def causal_mask(num_tokens):
    return torch.from_numpy(np.triu(np.ones((num_tokens, num_tokens), dtype=bool), k=1))
""",
    "ones_as_in_the_document": """\
def causal_mask(num_tokens):
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
    return mask.bool()
""",
    "transposed_and_cached": '''\
from functools import lru_cache


@lru_cache
def causal_mask(num_tokens):
    """A view that is not contiguous, and the same tensor at every call."""
    rows, columns = torch.tril_indices(num_tokens, num_tokens, offset=-1)
    past = torch.zeros(num_tokens, num_tokens, dtype=bool)
    past[rows, columns] = 1
    return past.T
''',
}
