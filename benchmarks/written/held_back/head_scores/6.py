# slips: the vectors are normalised to length one first; a softmax is taken at the end
import torch
import torch.nn.functional as F


def head_scores(a: torch.Tensor) -> torch.Tensor:
    unit = F.normalize(a, dim=-1)
    s = torch.matmul(unit, unit.mT)
    return s.softmax(dim=-1)
