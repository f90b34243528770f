from functools import reduce

import torch


def combine_heads(head_weights):
    return reduce(lambda upper, lower: torch.cat((upper, lower), dim=-2), head_weights)
