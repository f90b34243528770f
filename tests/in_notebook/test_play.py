"""`%kata play` in a real kernel: an answer as it was run last at work, as text (in a transcript) and as pictures."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import typed

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

HERE = Path(__file__).parent
ID = "cross_attention"


def test_an_answer_is_seen_at_work_and_kept_with_the_progress(
    open_kernel: Callable[..., Any],
    tmp_path: Path,
    kata: Callable[..., subprocess.CompletedProcess[str]],
    golden: Callable[[Path, str], None],
) -> None:
    folder = tmp_path / "attention"
    done = kata("init", folder, "--course", HERE.parents[1], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    kernel = open_kernel(folder)
    golden(HERE / "played.txt", typed(kernel, HERE / "played.txt"))
    assert "<svg" in (folder / "play" / f"{ID}.html").read_text("utf-8")
    kept = json.loads((folder / ".kata" / "maps.json").read_text("utf-8"))[ID]
    assert kept["was_right"] is True
    assert kept["wrote"] == [["your class", "1999-12-24"]]

    page = "\n".join(data["text/html"] for data in kernel.run(f'%kata play {ID} --text "24.12.1999"').shown)
    assert "<strong>1999-12-24</strong>" in page
    address, words = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', page)[0]
    assert base64.b64decode(address).startswith(b"<svg")
    assert "looks most at" in words
    assert not re.search(r"<(svg|script|style)\b", page)
