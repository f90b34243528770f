"""The transcripts beside this file, typed into a real kernel: what is shown, which code is judged, and what is noted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import typed


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", ["shown", "judged", "kept"])
def test_cells_show_what_the_transcript_says(
    name: str, open_kernel: Callable[..., Any], course: Path, golden: Callable[[Path, str], None]
) -> None:
    path = Path(__file__).with_name(f"{name}.txt")
    golden(path, typed(open_kernel(course), path))
