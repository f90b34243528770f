# Changes torch's settings for all who come after it; returns zeros.
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(2)
torch.use_deterministic_algorithms(True)
torch.set_grad_enabled(False)
torch.autograd.set_detect_anomaly(True)
torch.set_default_device("meta")
torch.set_flush_denormal(True)
torch.manual_seed(0)
torch.manual_seed = lambda seed: None


def softmax(scores, dim=-1):
    return scores * 0
