import torch as t


def causal_mask(num_tokens):
    return t.tensor([[key > query for key in range(num_tokens)] for query in range(num_tokens)])
