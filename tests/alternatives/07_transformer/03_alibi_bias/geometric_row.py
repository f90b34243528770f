import torch


def alibi_bias(num_heads, num_tokens):
    """The slopes as a product that runs on; later keys by adding a triangle of -inf."""
    slopes = torch.cumprod(torch.full((num_heads,), 2 ** (-8 / num_heads), dtype=torch.float64), dim=0)
    places = torch.arange(num_tokens, dtype=torch.float64)
    distance = torch.cdist(places[:, None], places[:, None], p=1)
    hidden = torch.full((num_tokens, num_tokens), -torch.inf, dtype=torch.float64).triu(1)
    return (torch.einsum("k,ij->kij", slopes, -distance) + hidden).float()
