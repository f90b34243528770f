import torch


def head_scores(a):
    """The outer products of every column of the width, added up."""
    total = 0
    for column in a.unbind(-1):
        total = total + column.unsqueeze(-1) * column.unsqueeze(-2)
    return total
