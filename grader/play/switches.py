"""What one switches off: --without mask, scale, residual, head:1.3."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .catalogue import Play

HEAD = re.compile(r"head:([1-9]\d?)\.([1-9]\d?)")


class UnknownSwitch(Exception):
    """There is no such thing to switch off here; the text is one sentence."""


@dataclass(frozen=True)
class Without:
    """What is off. `heads` are (layer, head), counted from 0."""

    mask: bool = False
    scale: bool = False
    residual: bool = False
    heads: frozenset[tuple[int, int]] = frozenset()

    def __bool__(self) -> bool:
        return self != Without()

    def __str__(self) -> str:
        parts = [name for name in ("mask", "scale", "residual") if getattr(self, name)]
        return ", ".join([*parts, *(f"head {layer + 1}.{head + 1}" for layer, head in sorted(self.heads))])


NOTHING_OFF = Without()


def switched_off(play: Play, names: Sequence[str], layers: int, heads: int) -> Without:
    """What these names switch off. Raises UnknownSwitch."""
    plain: set[str] = set()
    chosen: set[tuple[int, int]] = set()
    for name in names:
        found = HEAD.fullmatch(name)
        if found and "head" in play.switches and int(found[1]) <= layers and int(found[2]) <= heads:
            chosen.add((int(found[1]) - 1, int(found[2]) - 1))
        elif name in play.switches and name != "head":
            plain.add(name)
        else:
            raise UnknownSwitch(_what_there_is(play, name, layers, heads))
    return Without("mask" in plain, "scale" in plain, "residual" in plain, frozenset(chosen))


def _what_there_is(play: Play, name: str, layers: int, heads: int) -> str:
    there = [f"head:1.1 to head:{layers}.{heads}" if switch == "head" else switch for switch in play.switches]
    if not there:
        return f"Nothing can be switched off in {play.id}."
    return f"{name!r} cannot be switched off in {play.id}: there is {', '.join(there)}."
