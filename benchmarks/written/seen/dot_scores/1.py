# slip: squeeze() without an axis drops the axis of the words when there is one word
import torch


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    q = query.unsqueeze(1)            # (d, 1)
    scores = torch.mm(inputs, q)      # (n, 1)
    return scores.squeeze()
