import torch


def to_linear(weight: torch.Tensor) -> torch.nn.Linear:
    linear = torch.nn.Linear(*weight.shape, bias=False).to(weight.dtype)
    linear.load_state_dict({"weight": weight.detach().transpose(0, 1).contiguous()})
    return linear
