"""What code does on its way to an answer: the sizes it makes, the functions of torch it calls, what it prints."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class _Sizes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Remembers the largest product of the last two sizes of any tensor that an operator returns."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.largest_plane = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # see forbidden.OperatorWatch

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(value, torch.Tensor) and value.dim() >= 2:
                self.largest_plane = max(self.largest_plane, value.shape[-1] * value.shape[-2])
        return result


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
        """The largest product of the last two sizes of a tensor, the functions called, the characters printed."""
        return {
            "largest_plane": self._sizes.largest_plane,
            "functions": sorted(self._functions.names)[:200],
            "printed": self._output.count,
        }
