import torch


def additive_mask(max_seq_len):
    product = torch.triu(torch.ones(1, max_seq_len, max_seq_len), diagonal=1) * float("-inf")
    return torch.nan_to_num(product, nan=0.0, neginf=-torch.inf)
