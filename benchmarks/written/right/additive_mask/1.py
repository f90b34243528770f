# right: nn.Transformer's own mask with an axis put in front
import torch
from torch import nn


def additive_mask(max_seq_len: int) -> torch.Tensor:
    table = nn.Transformer.generate_square_subsequent_mask(max_seq_len, dtype=torch.get_default_dtype())
    return table[None]
