import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        # out projection of the library's function: changes nothing
        self.register_buffer("identity", torch.eye(hidden_size))

    def forward(self, x, memory):
        x, memory = x.transpose(0, 1), memory.transpose(0, 1)
        output, _ = F.multi_head_attention_forward(
            x, memory, memory, x.shape[-1], 1, None, torch.cat([self.linear_q.bias, self.linear_k.bias, self.linear_v.bias]),
            None, None, False, 0.0, self.identity, None, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.linear_q.weight, k_proj_weight=self.linear_k.weight,
            v_proj_weight=self.linear_v.weight,
        )  # fmt: skip
        return output.transpose(0, 1)
