import torch


def apply_padding_mask(scores, attention_mask):
    return scores + torch.log(attention_mask.float()).type_as(scores)[:, None, None]
