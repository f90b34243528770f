# slip: the cosine columns use their own column number, 2i + 1, in the exponent
import torch


def sinusoidal_positions(num_tokens: int, d_model: int) -> torch.Tensor:
    table = torch.empty(num_tokens, d_model)
    for j in range(d_model):
        rate = 10000.0 ** (-j / d_model)
        angle = torch.arange(num_tokens, dtype=torch.float32) * rate
        table[:, j] = angle.sin() if j % 2 == 0 else angle.cos()
    return table
