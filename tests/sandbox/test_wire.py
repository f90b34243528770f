import contextlib
import json
import math
import os
import threading

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.sandbox.inside import wire

ROOM = 1 << 20


def split(frame: bytes) -> tuple[bytes, bytes]:
    header_size, _ = wire.check_prefix(frame[: wire.PREFIX.size], ROOM)
    start = wire.PREFIX.size
    return frame[start : start + header_size], frame[start + header_size :]


def there_and_back(value):
    return wire.unpack(*split(wire.pack(value, ROOM)))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -5,
        2**62,
        1.5,
        "text",
        "",
        [1, [2, "x"]],
        (1, (2,)),
        {"a": 1, 2: [None]},
        {"$": ("y",)},
        [],
        (),
        {},
        wire.Slot(3),
        wire.Opaque("a thing"),
    ],
    ids=repr,
)
def test_plain_values_come_back_as_they_were(value):
    back = there_and_back(value)
    assert back == value and type(back) is type(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan], ids=str)
def test_numbers_json_lacks_come_back(value):
    back = there_and_back([value])[0]
    assert back == value or (math.isnan(back) and math.isnan(value))


@pytest.mark.parametrize("dtype", sorted(wire.SENDABLE_DTYPES, key=str), ids=str)
def test_tensors_come_back_with_dtype_and_shape(dtype):
    tensor = (torch.arange(6).reshape(2, 3) % 2).to(dtype)
    back = there_and_back({"t": tensor})["t"]
    assert back.dtype is dtype and torch.equal(back, tensor)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.ones(3).expand(2, 3),
        torch.empty(0, 4),
        torch.tensor(2.0),
        torch.arange(6.0).reshape(2, 3)[:1, 1],
    ],
    ids=["transposed", "expanded", "empty", "scalar", "one number of a column"],
)
def test_odd_layouts_arrive_whole(tensor):
    assert torch.equal(there_and_back(tensor), tensor)


class Odd(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(2, 2).to_sparse(),
        torch.empty(2, device="meta"),
        torch.ones(2, dtype=torch.complex64),
        torch.ones(2).as_subclass(Odd),
        object(),
        torch.nn.Linear(1, 1),
        lambda: 1,
        int,
        10**400,
    ],
    ids=["sparse", "meta", "complex", "subclass", "object", "module", "function", "class", "huge-int"],
)
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


def header(value) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("head", "block"),
    [
        (b"", b""),
        (b"{", b""),
        (b"NaN", b""),
        (b"\xff\xfe", b""),
        (header({"$": "tensor", "v": "0"}), b""),
        (header({"$": "pickle", "v": "x"}), b""),
        (header({"$": "list", "v": 3}), b""),
        (header({"$": "dict", "v": [[1]]}), b""),
        (header({"$": "dict", "v": [[[], 1]]}), b""),
        (header({"$": "float", "v": "1e999"}), b""),
        (header({"$": "tuple", "v": [], "w": 1}), b""),
        (header({"a": {"$": "slot"}}), b""),
        (b"[" * 100_000, b""),
        (b"1" * 10_000, b""),
        (b"null", b"not safetensors"),
        (b"null", (1 << 40).to_bytes(8, "little") + b"{}"),
    ],
    ids=[
        "empty", "cut-off", "nan-literal", "not-ascii", "absent-tensor", "unknown-tag", "list-of-no-list",
        "pair-of-one", "list-as-key", "float-of-other-text", "tag-with-more", "tag-with-less", "deep", "endless-number", "no-tensors",
        "giant-tensor-header",
    ],
)  # fmt: skip
def test_malformed_frames_are_refused(head, block):
    with pytest.raises(wire.WireError):
        wire.unpack(head, block)


@pytest.mark.parametrize(
    "prefix",
    [
        wire.PREFIX.pack(b"NOPE", 1, 1),
        wire.PREFIX.pack(wire.MAGIC, wire.MAX_HEADER_BYTES + 1, 0),
        wire.PREFIX.pack(wire.MAGIC, 10, 1 << 60),
    ],
    ids=["foreign", "header-too-large", "tensors-too-large"],
)
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
        wire.unpack(*split(bytes(frame)))


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


class Strange:
    """Of no kind that crosses."""


@pytest.mark.parametrize(
    "value",
    [
        {1: 2, "$": 3},
        (1, [2, (3, -0.0)], math.nan, math.inf, 2**70),
        [torch.nn.Parameter(torch.ones(2)), torch.ones(3).expand(2, 3), torch.zeros(4, 1).T, torch.tensor(1.5)],
        [torch.tensor([]), torch.ones(2, 2).T, torch.ones(2, dtype=torch.complex64), torch.ones(2).half()],
        ["x" * 30_000, "\ud800", b"bytes", Strange(), torch.Tensor, len],
    ],
    ids=["odd keys", "odd numbers", "tensors of odd layout", "tensors of odd kind", "text and objects"],
)
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
