#!/usr/bin/env python
"""Draws exercises/01_soft_lookup/attention_matrix.svg: "Hello shiny sun!" as scores XXᵀ and as weights softmax(XXᵀ).

The same file, byte for byte, comes out of every run with one version of matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PICTURE = Path(__file__).resolve().parents[2] / "exercises" / "01_soft_lookup" / "attention_matrix.svg"

WORDS = ("Hello", "shiny", "sun")
EMBEDDINGS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same on every machine
    "font.size": 11,
    "svg.fonttype": "path",
    "svg.hashsalt": "attention-kata",
}
DARK = 0.6
"""From this share of the colour scale on, the number in a cell is written in white."""


def draw_table(axes: Axes, numbers: torch.Tensor, *, title: str, colours: str) -> None:
    """A table of words by words, one coloured cell a number."""
    low, high = 0.0, 1.15 * float(numbers.max())
    axes.imshow(numbers.numpy(), cmap=colours, vmin=low, vmax=high)
    for row, values in enumerate(numbers.tolist()):
        for column, value in enumerate(values):
            colour = "white" if value > low + DARK * (high - low) else "black"
            axes.text(column, row, f"{value:.4f}".lstrip("0"), ha="center", va="center", color=colour)
    places = range(len(WORDS))
    axes.set_xticks(places, WORDS)
    axes.set_yticks(places, WORDS)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("looked at")
    axes.set_ylabel("asks")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, pad=14)


def write_sums(axes: Axes, numbers: torch.Tensor) -> None:
    """What each row adds up to, to the right of the table."""
    for row, total in enumerate(numbers.sum(dim=-1).tolist()):
        axes.text(len(WORDS) - 0.45, row, f"Σ = {total:.0f}", ha="left", va="center")


def draw() -> Figure:
    """Scores on the left, weights on the right."""
    scores = EMBEDDINGS @ EMBEDDINGS.T
    weights = torch.softmax(scores, dim=-1)
    figure = Figure(figsize=(7.6, 3.9), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    draw_table(left, scores, title="scores  XXᵀ", colours="Greys")
    draw_table(right, weights, title="weights  softmax(XXᵀ)", colours="Blues")
    write_sums(right, weights)
    return figure


def main() -> None:
    """Write the picture."""
    with mpl.rc_context(STYLE):
        draw().savefig(PICTURE, metadata={"Date": None, "Title": "Scores and weights of Hello shiny sun!"})


if __name__ == "__main__":
    main()
