# slip: the past is hidden: tril with diagonal -1
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    hidden = torch.full((max_seq_len, max_seq_len), -torch.inf).tril(-1)
    return hidden[None]
