"""Records what code does on its way to an answer: sizes of tensors, torch functions called, characters printed."""

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
    """Records the element count of the largest tensor that an operator returns, whatever its layout."""

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
    """The number of elements stored: along an expanded axis (stride 0) there is only one."""
    if tensor.layout != torch.strided:
        return tensor.numel()
    held = (size for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride or not size)
    return math.prod(held)


class _Functions(TorchFunctionMode):
    """Records the names of torch functions that are called directly."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        self.names.add(str(getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class _CountedOutput(io.StringIO):
    """Counts what is printed and drops it."""

    count = 0

    def write(self, text: str) -> int:
        self.count += len(text)
        return len(text)


class Observer:
    """Observes a case while it runs."""

    def __init__(self) -> None:
        self._sizes = _Sizes()
        self._functions = _Functions()
        self._output = _CountedOutput()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Observe the code in the `with` block."""
        with contextlib.redirect_stdout(self._output), self._functions, self._sizes:
            yield

    def seen(self) -> dict[str, Any]:
        """The largest element count, the functions called, the number of characters printed."""
        return {
            "largest": self._sizes.largest,
            "functions": sorted(self._functions.names)[:200],
            "printed": self._output.count,
        }
