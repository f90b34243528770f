"""A slider in a terminal: keys change a number, and the heat map below follows."""

from __future__ import annotations

import time
from contextlib import suppress
from queue import Empty, SimpleQueue

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from grader.practice.watch import POLL_SECONDS, listening

from .parts import Slider
from .scene_terminal import drawn

SMALLER, LARGER = "-,<", "+=.>"
GO_ON = "\r\n q"
KEYS = "- smaller  + larger  Enter goes on"
AROUND = 6
"""Lines around the rows of the map."""
WAIT_SECONDS = 0.2


def slide(slider: Slider, console: Console) -> None:
    """Let the learner move the slider until Enter. Where no key can be read, print the first step only."""
    keys: SimpleQueue[str] = SimpleQueue()
    with listening(keys.put) as has_keys:
        if not has_keys:
            console.print(drawn(slider, console))
            return
        with suppress(KeyboardInterrupt):
            _move(slider, console, keys)
    time.sleep(2 * POLL_SECONDS)  # give the thread that reads keys time to end, so that it takes no later input
    console.print()


def _move(slider: Slider, console: Console, keys: SimpleQueue[str]) -> None:
    step = slider.start
    height = max(len(heat.rows) for _, heat, _ in slider.steps) + AROUND
    if height > console.height:  # too little room to redraw in place: print each step below the last
        console.print(_shown(slider, step, console))
        while (pressed := _pressed(keys)) not in GO_ON:
            step = _after(slider, step, pressed)
            console.print(_shown(slider, step, console))
        return
    with Live(_shown(slider, step, console), console=console, auto_refresh=False) as live:
        while (pressed := _pressed(keys)) not in GO_ON:
            step = _after(slider, step, pressed)
            live.update(_shown(slider, step, console), refresh=True)


def _pressed(keys: SimpleQueue[str]) -> str:
    while True:
        with suppress(Empty):  # wait with a timeout: an endless wait cannot be interrupted on every system
            return keys.get(timeout=WAIT_SECONDS)


def _after(slider: Slider, step: int, pressed: str) -> int:
    change = (pressed in LARGER) - (pressed in SMALLER)
    return min(max(step + change, 0), len(slider.steps) - 1)


def _shown(slider: Slider, step: int, console: Console) -> RenderableType:
    names = [f"[{name}]" if number == step else name for number, (name, _, _) in enumerate(slider.steps)]
    _, heat, written = slider.steps[step]
    return Group(
        Text(slider.title, style="bold"),
        Text("  ".join(names)),
        drawn(heat, console),
        Text(written, style="bold"),
        Text(KEYS, style="dim"),
    )
