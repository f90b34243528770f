# slip: the gram matrix over the width instead of over the tokens, (d, d) for each head
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    b, h, n, d = a.shape
    flat = a.reshape(b * h, n, d)
    out = torch.bmm(flat.transpose(1, 2), flat)
    return out.view(b, h, *out.shape[1:])
