import torch


def sinusoidal_positions(num_tokens, d_model):
    """A pair is the number e^(i·angle): its parts, the imaginary one first."""
    speeds = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.outer(torch.arange(num_tokens, dtype=torch.float64), speeds)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))
    return turned.flip(-1).reshape(num_tokens, d_model).float()
