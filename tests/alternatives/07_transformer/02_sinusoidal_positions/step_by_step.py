import torch


def sinusoidal_positions(num_tokens, d_model):
    """Each row is the row before it, every pair turned on by its speed."""
    speed = torch.tensor([10000.0 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    s, c = torch.zeros_like(speed), torch.ones_like(speed)
    rows = []
    for _ in range(num_tokens):
        rows.append(torch.stack((s, c), 1).view(-1))
        s, c = s * speed.cos() + c * speed.sin(), c * speed.cos() - s * speed.sin()
    return torch.stack(rows).to(torch.float32)
