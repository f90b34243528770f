"""What code does on its way to an answer: the sizes it makes, the functions of torch it calls, what it prints."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class _Sizes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Remembers how many numbers the largest tensor holds that an operator returns, however they are laid out."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.largest = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # see forbidden.OperatorWatch

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(value, torch.Tensor):
                self.largest = max(self.largest, _numbers_held(value))
        return result


def _numbers_held(tensor: torch.Tensor) -> int:
    """How many numbers of its own a tensor has: along an axis that only repeats (stride 0) it holds one."""
    if tensor.layout != torch.strided:
        return tensor.numel()
    held = (size for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride or not size)
    return math.prod(held)


class _Functions(TorchFunctionMode):
    """Remembers the names of torch's functions that are called directly."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        self.names.add(str(getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class _CountedOutput(io.StringIO):
    """Takes what is printed and only counts it."""

    count = 0

    def write(self, text: str) -> int:
        self.count += len(text)
        return len(text)


class Observer:
    """Watches a case while it runs."""

    def __init__(self) -> None:
        self._sizes = _Sizes()
        self._functions = _Functions()
        self._output = _CountedOutput()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what happens within."""
        with contextlib.redirect_stdout(self._output), self._functions, self._sizes:
            yield

    def seen(self) -> dict[str, Any]:
        """How many numbers the largest tensor held, the functions called, the characters printed."""
        return {
            "largest": self._sizes.largest,
            "functions": sorted(self._functions.names)[:200],
            "printed": self._output.count,
        }
