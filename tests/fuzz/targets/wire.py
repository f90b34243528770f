"""The frames that cross the wall, as the judge reads them from a descriptor."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from typing import Any

import torch
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.sandbox.inside import wire
from tests.fuzz.damage import ODD, damaged, damaged_json
from tests.fuzz.watching import scratch

ROOM = 1 << 20


def run(data: bytes) -> None:
    """A frame gives a value of the format, no larger than agreed, or one of the documented errors."""
    try:
        header, block = _received(data) if data.startswith(wire.MAGIC) else data.partition(b"\0")[::2]
        value = wire.unpack(header, block)
    except (wire.WireError, wire.ChannelClosed):
        return
    tensors = {id(each): each for each in _tensors(value, 0)}
    assert sum(each.numel() * each.element_size() for each in tensors.values()) <= ROOM + wire.MAX_HEADER_BYTES
    with contextlib.suppress(wire.WireError):
        frame = wire.pack(value, wire.TRUSTED_BYTES)
        # what was read once can be sent on and is read the same way
        assert wire.pack(wire.unpack_frame(frame), wire.TRUSTED_BYTES) == frame


def _received(data: bytes) -> tuple[bytes, bytes]:
    with tempfile.TemporaryFile(dir=scratch()) as file:
        file.write(data)
        file.seek(0)
        return wire.read_frame(file.fileno(), ROOM)


def _tensors(value: Any, depth: int) -> Iterator[torch.Tensor]:
    """The tensors in a value; fails for what no frame may hold."""
    assert depth <= wire.MAX_DEPTH + 1
    if isinstance(value, torch.Tensor):
        assert type(value) is torch.Tensor and value.layout is torch.strided and value.device.type == "cpu"
        assert value.dtype in wire.SENDABLE_DTYPES and value.dim() <= wire.MAX_AXES and not value.requires_grad
        yield value
    elif isinstance(value, (list, tuple, dict)):
        if isinstance(value, dict):
            assert all(isinstance(key, (str, int, float, bool, type(None), wire.Opaque)) for key in value)
        for each in value.values() if isinstance(value, dict) else value:
            yield from _tensors(each, depth + 1)
    elif isinstance(value, wire.Opaque):
        assert len(value.what) <= 200
    elif isinstance(value, int):
        assert -wire.MAX_INT <= value < wire.MAX_INT
    else:
        assert value is None or type(value) in (bool, float, str, wire.Slot)


def inputs() -> SearchStrategy[bytes]:
    """Frames of plain values and tensors, whole and damaged; headers whose JSON is spoilt but whose sizes fit."""
    frames = values().map(lambda value: wire.pack(value, ROOM))
    without_sizes = frames.map(_parts).map(b"\0".join)
    return damaged(frames, most=3) | _rewritten_headers(frames) | damaged(without_sizes, most=3)


def _parts(frame: bytes) -> tuple[bytes, bytes]:
    """Header and tensors, without the sizes before them."""
    start = wire.PREFIX.size
    size, _ = wire.check_prefix(frame[:start], ROOM)
    return frame[start : start + size], frame[start + size :]


def values() -> SearchStrategy[Any]:
    """What a worker may send."""
    texts = st.sampled_from(ODD["texts"]) | st.text(max_size=8)
    numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=True)
    tensors = st.builds(
        lambda shape, dtype: torch.ones(shape).to(dtype),
        st.lists(st.integers(0, 3), max_size=3),
        st.sampled_from(sorted(wire.SENDABLE_DTYPES, key=str)),
    )
    leaves = st.none() | st.booleans() | numbers | texts | tensors | st.builds(wire.Slot, st.integers(0, 9))
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(texts | st.integers(-5, 5), inner, max_size=3)
        ),
        max_leaves=6,
    )


@st.composite
def _rewritten_headers(draw: st.DrawFn, frames: SearchStrategy[bytes]) -> bytes:
    header, block = _parts(draw(frames))
    header = draw(damaged_json(st.just(json.loads(header))))
    if block and draw(st.booleans()):
        length = int.from_bytes(block[:8], "little")
        about = draw(damaged_json(st.just(json.loads(block[8 : 8 + length]))))
        about += b" " * (-len(about) % 8)
        block = len(about).to_bytes(8, "little") + about + block[8 + length :]
    return wire.PREFIX.pack(wire.MAGIC, len(header), len(block)) + header + block
