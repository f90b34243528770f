"""Strategies that spoil what is valid: bytes and JSON. Random bytes alone rarely get past the first check."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.cases import table

ODD = table(__file__, "odd.yml")
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**63, 10**400, 0.5, 1e308, -0.0, [], {}, [[[[[[[[[[[[[[]]]]]]]]]]]]]]),
    *ODD["texts"],
)


@st.composite
def damaged(draw: DrawFn, whole: SearchStrategy[bytes], most: int = 4) -> bytes:
    """Valid bytes with up to so many small harms done to them: a piece is cut out, and something else is in its place."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(0, most))):
        start, length = draw(st.integers(0, len(data))), draw(st.sampled_from((0, 0, 1, 1, 8, 40, 1 << 30)))
        again = bytes(data[start : start + draw(st.integers(1, 200))])
        flipped = bytes(each ^ 1 << draw(st.integers(0, 7)) for each in data[start : start + min(length, 1)])
        new = st.sampled_from((flipped, again, b"", *ODD["bytes"])) | st.binary(min_size=1, max_size=8)
        data[start : start + length] = draw(new)
    return bytes(data)


@st.composite
def damaged_json(draw: DrawFn, values: SearchStrategy[Any], most: int = 3) -> bytes:
    """Valid JSON with parts of it replaced, left out, doubled or under another key."""
    value = copy.deepcopy(draw(values))
    for _ in range(draw(st.integers(0, most))):
        holders = _holders(value)
        if not holders:
            break
        holder, key = holders[draw(st.integers(0, len(holders) - 1))]
        harm = draw(st.sampled_from(("replace", "replace", "delete", "another key", "repeat")))
        if harm == "replace":
            holder[key] = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        elif harm == "delete":
            del holder[key]
        elif harm == "another key" and isinstance(holder, dict):
            holder[draw(st.sampled_from(ODD["texts"]))] = holder.pop(key)
        elif harm == "repeat" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
    return json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


def _holders(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside: the mapping or list that holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys]
    return found
