"""The format of messages between judge and worker.

A frame is a fixed prefix, a JSON header and a safetensors block. Nothing is ever pickled. Both directions use the same
format; both have size limits, and everything that arrives is checked before it is used.
"""

from __future__ import annotations

import json
import math
import os
import struct
from dataclasses import dataclass
from typing import Any

import numpy
import safetensors.torch
import torch

PREFIX = struct.Struct("<4sIQ")
MAGIC = b"KAT1"
MAX_HEADER_BYTES = 4 * 1024 * 1024
TRUSTED_BYTES = 1 << 30
"""Size limit for tensors in a frame of our own."""
MAX_DEPTH = 12
MAX_ITEMS = 20_000
MAX_TEXT = 20_000
MAX_INT = 2**63
MAX_AXES = 32
MAX_TENSORS = 1000
MAX_TENSORS_HEADER_BYTES = 256 * 1024
"""Limit for the safetensors header: parsing a long one costs far more time and memory than reading it."""
CHUNK = 1 << 20

# Only these are sent as numbers, under safetensors' names; a tensor of another dtype is only described.
SENDABLE_DTYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}


class WireError(Exception):
    """A frame that is invalid or larger than agreed."""


class ChannelClosed(Exception):
    """The other side has closed the pipe."""


@dataclass(frozen=True)
class Opaque:
    """A value that is not sent as data, only described in words."""

    what: str


@dataclass(frozen=True)
class Slot:
    """Refers to the value of an earlier step of the same case."""

    number: int


TAG = "$"
"""Marks an object that encodes what JSON has no form for: {"$": kind, "v": value}."""

_TAGGED = {TAG, "v"}
_READ_AS_IT_IS = frozenset({str, bool, float, type(None)})
_AS_IT_IS = frozenset({str, int, bool, type(None), list, tuple, dict, torch.Tensor})
"""Types whose values need no conversion to a plain number; nearly all values sent are of these."""


class _Encoder:
    def __init__(self, max_tensor_bytes: int) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self.room = max_tensor_bytes
        self.items = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Return the JSON form of `value`; tensors are collected in `self.tensors`."""
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise WireError("the value is nested too deep or has too many parts")
        kind = type(value)
        if kind is Slot:
            return {"$": "slot", "v": value.number}
        if kind not in _AS_IT_IS:
            value = _plain_number(value)
            kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -MAX_INT <= value < MAX_INT else {"$": "opaque", "v": "a very large int"}
        if kind is float:
            return value if math.isfinite(value) else {"$": "float", "v": repr(value)}
        if kind is str:
            return value[:MAX_TEXT]
        if kind is list:
            return [self.encode(item, depth + 1) for item in value]
        if kind is tuple or (isinstance(value, tuple) and hasattr(kind, "_fields")):
            return {"$": "tuple", "v": [self.encode(item, depth + 1) for item in value]}
        if kind is dict and all(map(_is_plain_key, value)):
            return {key: self.encode(item, depth + 1) for key, item in value.items()}
        if isinstance(value, dict):
            pairs = [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in dict.items(value)]
            return {"$": "dict", "v": pairs}
        if kind is Opaque:
            return {"$": "opaque", "v": value.what[:200]}
        if kind is torch.Tensor or kind is torch.nn.Parameter:
            return self._tensor(value)
        return {"$": "opaque", "v": describe(value)}

    def _tensor(self, tensor: torch.Tensor) -> Any:
        unfit = unfit_tensor(tensor)
        if unfit:
            return {"$": "opaque", "v": unfit}
        # check numel before contiguous(): an expanded tensor of 1e12 elements is 8 bytes here and terabytes there
        size = tensor.numel() * tensor.element_size()
        if size > self.room:
            raise WireError(f"a tensor of shape {tuple(tensor.shape)} is larger than an answer may be")
        if len(self.tensors) == MAX_TENSORS:
            raise WireError(f"there are more than {MAX_TENSORS} tensors in it")
        self.room -= size
        key = str(len(self.tensors))
        self.tensors[key] = tensor.detach().resolve_conj().resolve_neg().contiguous()
        return {"$": "tensor", "v": key}


def _is_plain_key(key: Any) -> bool:
    """Whether the key can be a JSON object's key without being mistaken for a tag."""
    return type(key) is str and key != TAG and len(key) <= MAX_TEXT


def _plain_number(value: Any) -> Any:
    """Convert NumPy's numbers and subclasses of float to plain numbers."""
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, numpy.generic) and value.dtype.kind in "biu":
        return value.item()
    if isinstance(value, numpy.floating):
        return float(value)
    return value


def unfit_tensor(tensor: torch.Tensor) -> str | None:
    """Return why a tensor cannot be sent, in words, or None when it can."""
    if tensor.layout is not torch.strided:
        return "a sparse tensor"
    if tensor.device.type != "cpu":
        return f"a tensor on the device {tensor.device.type!r}"
    if tensor.dim() > MAX_AXES:
        return f"a tensor of {tensor.dim()} axes"
    if tensor.is_quantized or tensor.dtype not in SENDABLE_DTYPES:
        return f"a tensor of {tensor.dtype}".replace("torch.", "")
    return None


def describe(value: Any) -> str:
    """Name the type of a value in words a learner knows; never calls code of the value's own class."""
    kind = type(value)
    if issubclass(kind, type):
        return f"the class {type.__getattribute__(value, '__name__')}"[:200]
    name = type.__getattribute__(kind, "__name__")
    if issubclass(kind, torch.Tensor):
        return f"a {name} (a subclass of Tensor)"[:200]
    if name == "ndarray":
        return "a NumPy array (torch.from_numpy makes a tensor of one)"
    if name in ("function", "builtin_function_or_method", "method"):
        return "a function"
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name} object"[:200]


class _Decoder:
    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        self.tensors = tensors
        self.items = 0

    def decode(self, value: Any, depth: int = 0) -> Any:
        """Rebuild a value from its JSON form. Raises WireError on anything invalid."""
        kind = type(value)  # JSON's own types, no others
        if kind in _READ_AS_IT_IS:
            return value
        if kind is int:
            if -MAX_INT <= value < MAX_INT:
                return value
            raise WireError("a whole number that is too large")
        self._count(len(value), depth)
        if kind is list:
            return [self.decode(item, depth + 1) for item in value]
        if TAG not in value:
            return {
                key: item if type(item) in _READ_AS_IT_IS else self.decode(item, depth + 1)
                for key, item in value.items()
            }
        if value.keys() == _TAGGED:
            return self._tagged(value[TAG], value["v"], depth)
        raise WireError("an unknown form of value")

    def _count(self, parts: int, depth: int) -> None:
        self.items += parts
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise WireError("nested too deep or too many parts")

    def _tagged(self, tag: Any, body: Any, depth: int) -> Any:
        if tag == "tensor" and isinstance(body, str) and body in self.tensors:
            tensor = self.tensors[body]
            if tensor.dtype in SENDABLE_DTYPES and tensor.dim() <= MAX_AXES:  # safetensors knows more
                return tensor
        if tag == "tuple" and isinstance(body, list):
            self._count(len(body), depth)
            return tuple(self.decode(item, depth + 1) for item in body)
        if tag == "dict" and isinstance(body, list):
            self._count(2 * len(body), depth)
            return self._mapping(body, depth)
        if tag == "float" and body in ("nan", "inf", "-inf"):
            return float(body)
        if tag == "slot" and isinstance(body, int):
            return Slot(body)
        if tag == "opaque" and isinstance(body, str):
            return Opaque(body[:200])
        raise WireError(f"an unknown tag {str(tag)[:20]!r}")

    def _mapping(self, pairs: list[Any], depth: int) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2):
                raise WireError("a mapping that is not made of pairs")
            key = self.decode(pair[0], depth + 1)
            if not isinstance(key, (str, int, float, bool, type(None), Opaque)):
                raise WireError("a mapping with an unusable key")
            result[key] = self.decode(pair[1], depth + 1)
        return result


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


# made once: json.loads and json.dumps would build a new one for every frame
_JSON_READER = json.JSONDecoder(parse_constant=_refuse_constant)
_JSON_WRITER = json.JSONEncoder(ensure_ascii=True, allow_nan=False)


def pack(value: Any, max_tensor_bytes: int) -> bytes:
    """Encode a value as one frame. Raises WireError when it is too large or nested too deep."""
    encoder = _Encoder(max_tensor_bytes)
    header = _JSON_WRITER.encode(encoder.encode(value)).encode("ascii")
    if len(header) > MAX_HEADER_BYTES:
        raise WireError("the value has too much text or too many parts")
    block = _block(encoder.tensors) if encoder.tensors else []
    return b"".join((PREFIX.pack(MAGIC, len(header), sum(map(len, block))), header, *block))


def _block(tensors: dict[str, torch.Tensor]) -> list[bytes]:
    """Encode tensors in the safetensors format, in parts. The library takes four times as long for small ones.

    Source: the format description in safetensors' README. Reading always uses the library, whoever wrote the block.
    """
    parts, about, start = [b"", b""], {}, 0
    for key, tensor in tensors.items():
        # a single number counts as contiguous whatever its stride, and then cannot be viewed as bytes
        flat = tensor.reshape(-1).as_strided((tensor.numel(),), (1,))
        part = flat.view(torch.uint8).numpy().tobytes()
        about[key] = {
            "dtype": SENDABLE_DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, start + len(part)],
        }
        start += len(part)
        parts.append(part)
    head = json.dumps(about).encode("ascii")
    head += b" " * (-len(head) % 8)
    parts[:2] = [struct.pack("<Q", len(head)), head]
    return parts


def unpack(header: bytes, block: bytes) -> Any:
    """Decode the two parts of a frame. Raises WireError on anything invalid."""
    if int.from_bytes(block[:8], "little") > MAX_TENSORS_HEADER_BYTES:
        raise WireError("too many tensors")
    try:
        tensors = safetensors.torch.load(block) if block else {}
    except Exception as error:  # safetensors raises its own error and, for odd headers, several of Python's
        raise WireError("the tensors cannot be read") from error
    try:
        parsed = _JSON_READER.decode(header.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError("the header cannot be read") from error
    return _Decoder(tensors).decode(parsed)


def parts_of(frame: bytes) -> tuple[bytes, bytes]:
    """Header and tensor block of a whole frame of our own."""
    header, _ = check_prefix(frame[: PREFIX.size], TRUSTED_BYTES)
    return frame[PREFIX.size : PREFIX.size + header], frame[PREFIX.size + header :]


def unpack_frame(frame: bytes) -> Any:
    """Decode a whole frame of our own."""
    return unpack(*parts_of(frame))


def copied(value: Any) -> Any:
    """The value as the other side would receive it: a copy that only describes what can't be sent. Packs nothing."""
    encoder = _Encoder(TRUSTED_BYTES)
    told = encoder.encode(value)
    own = {key: tensor.clone(memory_format=torch.contiguous_format) for key, tensor in encoder.tensors.items()}
    return _Decoder(own).decode(told)


def write_frame(fd: int, frame: bytes) -> None:
    """Write a whole frame to a blocking descriptor. Raises ChannelClosed when the reader is gone."""
    view = memoryview(frame)
    try:
        while view:
            view = view[os.write(fd, view[:CHUNK]) :]
    except (BrokenPipeError, ConnectionResetError) as error:
        raise ChannelClosed from error


def read_frame(fd: int, max_tensor_bytes: int) -> tuple[bytes, bytes]:
    """Read one frame from a blocking descriptor; sizes are checked before anything is allocated.

    Raises ChannelClosed at the end of the stream and WireError for a frame that is too large or invalid.
    """
    prefix = _read_exactly(fd, PREFIX.size)
    header_size, block_size = check_prefix(prefix, max_tensor_bytes)
    return _read_exactly(fd, header_size), _read_exactly(fd, block_size)


def check_prefix(prefix: bytes, max_tensor_bytes: int) -> tuple[int, int]:
    """Return the sizes of header and tensor block. Raises WireError for an unknown prefix or a size too large."""
    magic, header_size, block_size = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise WireError("not a frame")
    # safetensors adds its own small header to the tensors' bytes
    if header_size > MAX_HEADER_BYTES or block_size > max_tensor_bytes + MAX_HEADER_BYTES:
        raise WireError("a frame larger than agreed")
    return header_size, block_size


def _read_exactly(fd: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(fd, min(size, CHUNK))
        if not part:
            raise ChannelClosed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
