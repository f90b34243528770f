# slip: the second operand's head axis has a letter of its own in the einsum, so the keys are summed over all heads
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bhid,bkjd->bhij", a, a)
