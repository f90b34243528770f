# right: reduces the list with vstack two at a time
from functools import reduce

import torch


def combine_heads(head_weights) -> torch.Tensor:
    return reduce(lambda above, below: torch.vstack((above, below)), head_weights)
