"""Strategies that spoil what is valid: bytes, lines and JSON. Random bytes alone rarely get past the first check."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

ODD_BYTES = (
    b"\x00",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\r",
    b"\r\n",
    b"\xe2\x80\xa8",
    b"'",
    b'"',
    b"\\",
    b"%s",
    b"../",
    b"1e999",
    b"9" * 400,
    b"NaN",
    b"[" * 400,
)
ODD_TEXTS = (
    "",
    " ",
    "\0",
    "\ud800",
    "\u202e",
    "\x1b[2J",
    "\u2028",
    "<script>",
    "../../etc/passwd",
    "x" * 5000,
    "\U0001f600",
    "NaN",
    "0",
    "null",
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2**63,
    10**400,
    0.5,
    1e308,
    -0.0,
    [],
    {},
    [[[[[[[[[[[[[[]]]]]]]]]]]]]],
    *ODD_TEXTS,
)


@st.composite
def damaged(draw: DrawFn, whole: SearchStrategy[bytes], most: int = 4) -> bytes:
    """Valid bytes with up to so many small harms done to them."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(0, most))):
        place = draw(st.integers(0, len(data)))
        harm = draw(st.sampled_from(("flip", "set", "insert", "delete", "repeat", "cut")))
        if harm == "flip" and place < len(data):
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif harm == "set" and place < len(data):
            data[place] = draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x22)))
        elif harm == "insert":
            data[place:place] = draw(st.sampled_from(ODD_BYTES) | st.binary(min_size=1, max_size=8))
        elif harm == "delete":
            del data[place : place + draw(st.integers(1, 40))]
        elif harm == "repeat":
            data[place:place] = data[place : place + draw(st.integers(1, 200))]
        elif harm == "cut" and draw(st.booleans()):
            del data[place:]
    return bytes(data)


@st.composite
def damaged_lines(draw: DrawFn, texts: Sequence[str], most: int = 4) -> bytes:
    """A valid text with lines taken out, doubled, moved, indented otherwise or given another value."""
    lines = draw(st.sampled_from(texts)).split("\n")
    for _ in range(draw(st.integers(0, most))):
        place = draw(st.integers(0, len(lines) - 1))
        line = lines[place]
        harm = draw(st.sampled_from(("delete", "repeat", "move", "indent", "dedent", "value", "key", "letters")))
        if harm == "delete" and len(lines) > 1:
            del lines[place]
        elif harm == "repeat":
            lines.insert(draw(st.integers(0, len(lines))), line)
        elif harm == "move" and len(lines) > 1:
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(place))
        elif harm == "indent":
            lines[place] = draw(st.sampled_from((" ", "  ", "\t", "- "))) + line
        elif harm == "dedent":
            lines[place] = line[1:]
        elif harm == "value":
            lines[place] = line.partition(":")[0] + ": " + draw(st.sampled_from(ODD_YAML))
        elif harm == "key":
            lines[place] = draw(st.sampled_from(ODD_YAML)) + ":" + line.partition(":")[2]
        elif harm == "letters":
            at = draw(st.integers(0, len(line)))
            lines[place] = line[:at] + draw(st.sampled_from(ODD_TEXTS) | st.text(max_size=4)) + line[at:]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


ODD_YAML = (
    "",
    "~",
    "[]",
    "{}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]",
    "-1",
    "1e999",
    ".nan",
    "0x10",
    "1:30",
    "99999999999999999999",
    "yes",
    "2026-11-20",
    "!!python/object/apply:os.system [id]",
    "&a [*a]",
    "*a",
    "<<",
    '"\\ud800"',
    '"\\U7fffffff"',
    "|",
    ">-",
    "'",
    '"',
    "? x",
    "---",
    "...",
    "%YAML 9.9",
    "softmax",
    "../solutions",
    "Europe/Nowhere",
    "../../etc/localtime",
)


@st.composite
def damaged_json(draw: DrawFn, values: SearchStrategy[Any], most: int = 3) -> bytes:
    """Valid JSON with parts of it replaced, left out, doubled or renamed; and sometimes its bytes damaged."""
    value = copy.deepcopy(draw(values))
    for _ in range(draw(st.integers(0, most))):
        holders = list(_holders(value))
        if not holders:
            break
        holder, key = holders[draw(st.integers(0, len(holders) - 1))]
        harm = draw(st.sampled_from(("replace", "replace", "delete", "rename", "repeat", "graft")))
        if harm == "replace":
            holder[key] = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        elif harm == "delete":
            del holder[key]
        elif harm == "rename" and isinstance(holder, dict):
            holder[draw(st.sampled_from(ODD_TEXTS))] = holder.pop(key)
        elif harm == "repeat" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif harm == "graft":
            other, place = holders[draw(st.integers(0, len(holders) - 1))]
            if other is not holder or place != key:
                holder[key] = copy.deepcopy(other[place])
    is_ascii = draw(st.booleans())
    data = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    return draw(damaged(st.just(data), most=2)) if draw(st.integers(0, 3)) == 0 else data


def _holders(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside: the mapping or list that holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        for key in keys:
            found.append((each, key))
            waiting.append(each[key])
    return found
