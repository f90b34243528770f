import torch


def apply_padding_mask(scores, attention_mask):
    """As in BERT: 0 for tokens, the lowest number of the dtype for padding, added."""
    extended = attention_mask.to(scores.dtype)[:, None, None, :]
    extended = (1.0 - extended) * torch.finfo(scores.dtype).min
    return scores + extended
