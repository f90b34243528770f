"""Parts of a whole: every amount is divided by the sum of its row."""

import torch


def share(amounts: torch.Tensor) -> torch.Tensor:
    # BEGIN SOLUTION
    total = amounts.sum(dim=-1, keepdim=True)
    return amounts / total
    # END SOLUTION
