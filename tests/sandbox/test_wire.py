"""Frames: what crosses comes back as it was, and what is malformed or too large is refused."""

import contextlib
import math
import os
import threading

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.sandbox.inside import wire

from ..cases import rows, table

ROOM = 1 << 20


def there_and_back(value):
    return wire.unpack_frame(wire.pack(value, ROOM))


PLAIN = [
    None, True, 0, -5, 2**62, 1.5, "text", "", [1, [2, "x"]], (1, (2,)), {"a": 1, 2: [None]}, {"$": ("y",)}, [], (), {},
    wire.Slot(3), wire.Opaque("a thing"), math.inf, -math.inf, math.nan,
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_come_back_as_they_were(value):
    back = there_and_back(value)
    assert repr(back) == repr(value) and type(back) is type(value)


LAYOUTS = {
    "transposed": torch.arange(6.0).reshape(2, 3).T,
    "expanded": torch.ones(3).expand(2, 3),
    "empty": torch.empty(0, 4),
    "scalar": torch.tensor(2.0),
    "one number of a column": torch.arange(6.0).reshape(2, 3)[:1, 1],
    **{str(dtype): (torch.arange(6).reshape(2, 3) % 2).to(dtype) for dtype in sorted(wire.SENDABLE_DTYPES, key=str)},
}


@rows(LAYOUTS, "tensor")
def test_odd_layouts_arrive_whole(tensor):
    back = there_and_back({"t": tensor})["t"]
    assert back.dtype is tensor.dtype and torch.equal(back, tensor)


class Odd(torch.Tensor):
    pass


DESCRIBED = {
    "sparse": torch.ones(2, 2).to_sparse(),
    "meta": torch.empty(2, device="meta"),
    "complex": torch.ones(2, dtype=torch.complex64),
    "subclass": torch.ones(2).as_subclass(Odd),
    "object": object(),
    "module": torch.nn.Linear(1, 1),
    "function": lambda: 1,
    "class": int,
    "huge int": 10**400,
}


@rows(DESCRIBED, "value")
def test_what_cannot_cross_is_described(value):
    back = there_and_back([value])[0]
    assert isinstance(back, wire.Opaque) and back.what


def test_an_expanded_giant_is_refused_before_it_is_made():
    giant = torch.zeros(1).expand(10**6, 10**6)
    with pytest.raises(wire.WireError, match="larger than an answer may be"):
        wire.pack(giant, ROOM)


def test_deep_nesting_is_refused():
    value: list = []
    for _ in range(100):
        value = [value]
    with pytest.raises(wire.WireError):
        wire.pack(value, ROOM)


MALFORMED = {
    **{name: (head, b"") for name, head in table(__file__, "malformed.yml").items()},
    "no tensors": (b"null", b"not safetensors"),
    "giant header of tensors": (b"null", (1 << 40).to_bytes(8, "little") + b"{}"),
}


@rows(MALFORMED, "head", "block")
def test_malformed_frames_are_refused(head, block):
    with pytest.raises(wire.WireError):
        wire.unpack(head, block)


PREFIXES = {
    "foreign": wire.PREFIX.pack(b"NOPE", 1, 1),
    "header too large": wire.PREFIX.pack(wire.MAGIC, wire.MAX_HEADER_BYTES + 1, 0),
    "tensors too large": wire.PREFIX.pack(wire.MAGIC, 10, 1 << 60),
}


@rows(PREFIXES, "prefix")
def test_sizes_are_checked_before_anything_is_read(prefix):
    with pytest.raises(wire.WireError):
        wire.check_prefix(prefix, ROOM)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_random_bytes_are_decoded_or_refused(head, block):
    with contextlib.suppress(wire.WireError):
        wire.unpack(head, block)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_frame_is_decoded_or_refused(data):
    frame = bytearray(wire.pack({"x": torch.arange(4.0), "n": [1, "two", (None, 2.5)]}, ROOM))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(wire.WireError):
        wire.unpack_frame(bytes(frame))


def test_frames_larger_than_a_pipe_arrive():
    read, write = os.pipe()
    value = torch.arange(200_000.0)
    writer = threading.Thread(target=wire.write_frame, args=(write, wire.pack(value, ROOM)))
    writer.start()
    back = wire.unpack(*wire.read_frame(read, ROOM))
    writer.join()
    os.close(write)
    assert torch.equal(back, value)
    with pytest.raises(wire.ChannelClosed):
        wire.read_frame(read, ROOM)
    os.close(read)


COPIED = {
    "odd keys": {1: 2, "$": 3},
    "odd numbers": (1, [2, (3, -0.0)], math.nan, math.inf, 2**70),
    "tensors": [torch.nn.Parameter(torch.ones(2)), torch.zeros(4, 1).T, torch.tensor([]), torch.ones(2).half(), *LAYOUTS.values()],
    "texts and objects": ["x" * 30_000, "\ud800", b"bytes", torch.Tensor, len, *DESCRIBED.values()],
}  # fmt: skip


@rows(COPIED, "value")
def test_a_copy_is_what_the_other_side_would_have_received(value):
    came, expected = wire.copied(value), wire.unpack_frame(wire.pack(value, wire.TRUSTED_BYTES))
    assert repr(came) == repr(expected)
    for one, other in zip(flat_tensors(came), flat_tensors(expected), strict=True):
        assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
        assert torch.equal(one, other) and not one.requires_grad


def flat_tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [each for part in value for each in flat_tensors(part)] if isinstance(value, (list, tuple)) else []


def test_a_copy_shares_no_memory_with_what_was_copied():
    tensor = torch.ones(3)
    copy = wire.copied({"it": tensor})["it"]
    tensor.zero_()
    assert copy.tolist() == [1, 1, 1]
