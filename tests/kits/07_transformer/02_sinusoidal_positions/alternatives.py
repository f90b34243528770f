ALTERNATIVES = {
    "complex_numbers": '''\
def sinusoidal_positions(num_tokens, d_model):
    """A pair is the number e^(i·angle): its parts, the imaginary one first."""
    speeds = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.outer(torch.arange(num_tokens, dtype=torch.float64), speeds)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))
    return turned.flip(-1).reshape(num_tokens, d_model).float()
''',
    "every_second_column": '''\
import math


def sinusoidal_positions(num_tokens, d_model):
    """As in torch's tutorial: all in float32, with exp and log."""
    pe = torch.zeros(num_tokens, d_model)
    position = torch.arange(0, num_tokens, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe
''',
    "in_numpy": """\
import numpy as np


def sinusoidal_positions(num_tokens, d_model):
    angles = np.arange(num_tokens)[:, np.newaxis] / np.power(10000, 2 * (np.arange(d_model)[np.newaxis, :] // 2) / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles).float()
""",
    "place_by_place": """\
import math


def sinusoidal_positions(num_tokens, d_model):
    rows = []
    for p in range(num_tokens):
        row = []
        for i in range(0, d_model, 2):
            angle = p / 10000 ** (i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)
""",
    "shifted_sine": '''\
def sinusoidal_positions(num_tokens, d_model):
    """A cosine is a sine a quarter of a turn later."""
    column = torch.arange(d_model, dtype=torch.float64)
    speed = torch.pow(1e4, -(column - column % 2) / d_model)
    place = torch.arange(num_tokens, dtype=torch.float64)
    return torch.sin(torch.einsum("p,c->pc", place, speed) + (column % 2) * torch.pi / 2).to(torch.get_default_dtype())
''',
    "step_by_step": '''\
def sinusoidal_positions(num_tokens, d_model):
    """Each row is the row before it, every pair turned on by its speed."""
    speed = torch.tensor([10000.0 ** (-2 * i / d_model) for i in range(d_model // 2)], dtype=torch.float64)
    s, c = torch.zeros_like(speed), torch.ones_like(speed)
    rows = []
    for _ in range(num_tokens):
        rows.append(torch.stack((s, c), 1).view(-1))
        s, c = s * speed.cos() + c * speed.sin(), c * speed.cos() - s * speed.sin()
    return torch.stack(rows).to(torch.float32)
''',
}
