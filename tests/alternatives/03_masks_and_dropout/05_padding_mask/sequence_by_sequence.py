import torch


def apply_padding_mask(scores, attention_mask):
    results = []
    for one, row in zip(scores, attention_mask):
        one = one.clone()
        one[..., row == 0] = -torch.inf
        results.append(one)
    return torch.stack(results)
