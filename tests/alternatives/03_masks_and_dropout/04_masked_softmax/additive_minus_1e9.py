import torch.nn.functional as F


def masked_softmax(scores, mask):
    n = scores.size(-1)
    # True * -1e9 is a float32 tensor, so half-precision scores are lifted here
    penalised = scores + mask[:n, :n] * -1e9
    return F.softmax(penalised, dim=-1).type_as(scores)
