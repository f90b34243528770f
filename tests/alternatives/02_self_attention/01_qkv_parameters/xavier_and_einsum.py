import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        for name in ("W_value", "W_key", "W_query"):
            self.register_parameter(name, nn.Parameter(torch.empty(d_in, d_out)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter)

    def forward(self, x):
        return [torch.einsum("...i,io->...o", x, weight) for weight in (self.W_query, self.W_key, self.W_value)]
