#!/usr/bin/env python
"""Draws exercises/06_beyond/sliding_window.svg: a causal mask and, beside it, a sliding window of three.

The same file, byte for byte, comes out of every run with one version of matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

PICTURE = Path(__file__).resolve().parents[2] / "exercises" / "06_beyond" / "sliding_window.svg"

WORDS = ("this", "is", "the", "seed", "that", "lay", "in", "the", "ground")
WINDOW = 3
VISIBLE, HIDDEN = "#f4b860", "#39414d"

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same on every machine
    "font.size": 11,
    "svg.fonttype": "path",
    "svg.hashsalt": "attention-kata",
}


def draw_mask(axes: Axes, title: str, hidden: torch.Tensor) -> None:
    """One mask: a row for each query, a column for each key."""
    places = range(len(WORDS))
    axes.imshow(hidden.int().numpy(), cmap=ListedColormap([VISIBLE, HIDDEN]), vmin=0, vmax=1)
    axes.set_xticks(places, WORDS, rotation=90)
    axes.set_yticks(places, WORDS)
    axes.set_xticks([place - 0.5 for place in places], minor=True)
    axes.set_yticks([place - 0.5 for place in places], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, pad=10)
    axes.set_xlabel("key")
    axes.set_ylabel("query")


def draw() -> Figure:
    """The causal mask on the left, the sliding window on the right."""
    place = torch.arange(len(WORDS))
    distance = place[:, None] - place
    figure = Figure(figsize=(8.4, 5.0), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    draw_mask(left, "causal mask", distance < 0)
    draw_mask(right, f"sliding window of {WINDOW}", (distance < 0) | (distance >= WINDOW))
    legend = [Patch(color=VISIBLE, label="visible (False)"), Patch(color=HIDDEN, label="hidden (True)")]
    figure.legend(handles=legend, loc="outside lower center", ncols=2, frameon=False)
    return figure


def main() -> None:
    """Write the picture."""
    with mpl.rc_context(STYLE):
        draw().savefig(PICTURE, metadata={"Date": None, "Title": "A causal mask and a sliding window"})


if __name__ == "__main__":
    main()
