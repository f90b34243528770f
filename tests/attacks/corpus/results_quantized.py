# A quantized tensor.
import torch


def softmax(scores, dim=-1):
    return torch.quantize_per_tensor(scores.detach(), 0.1, 0, torch.quint8)
