from torch import nn


def additive_mask(max_seq_len):
    return nn.Transformer.generate_square_subsequent_mask(max_seq_len)[None]
