import torch


def _along_last(rows):
    # 1 / sum_j exp(s_j - s_i)
    return 1 / torch.exp(rows.unsqueeze(-2) - rows.unsqueeze(-1)).sum(-1)


def softmax(scores: torch.Tensor, dim: int = -1):
    """A self-written one; compare with torch.softmax(scores, dim)."""
    return _along_last(scores.movedim(dim, -1)).movedim(-1, dim)


if __name__ == "__main__":
    x = torch.randn(2, 3)
    assert torch.allclose(softmax(x), torch.softmax(x, -1))
