import torch


def sinusoidal_positions(num_tokens, d_model):
    """A cosine is a sine a quarter of a turn later."""
    column = torch.arange(d_model, dtype=torch.float64)
    speed = torch.pow(1e4, -(column - column % 2) / d_model)
    place = torch.arange(num_tokens, dtype=torch.float64)
    return torch.sin(torch.einsum("p,c->pc", place, speed) + (column % 2) * torch.pi / 2).to(torch.get_default_dtype())
