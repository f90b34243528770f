import torch


def causal_mask(num_tokens):
    return ~torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril()


def additive_mask(max_seq_len):
    mask = torch.zeros(max_seq_len, max_seq_len)
    mask.masked_fill_(causal_mask(max_seq_len), float("-inf"))
    return mask.unsqueeze(0)
