import torch


def head_scores(a):
    """As the document checks it: one head of one sequence at a time."""
    rows = []
    for sequence in a:
        rows.append(torch.stack([head @ head.T for head in sequence]))
    return torch.stack(rows)
