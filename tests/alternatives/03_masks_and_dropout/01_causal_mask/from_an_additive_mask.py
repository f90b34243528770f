from torch import nn


def causal_mask(num_tokens):
    return nn.Transformer.generate_square_subsequent_mask(num_tokens).isinf()
