from torch import nn


def to_linear(weight):
    linear = nn.Linear(weight.shape[0], weight.shape[1], bias=False)
    linear.weight = nn.Parameter(weight.T)  # shares its memory
    return linear
