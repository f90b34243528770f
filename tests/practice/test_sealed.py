from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import KataError
from grader.practice.solution import opened, sealed

TEXT = "def softmax(x):\n    return x.exp() / x.exp().sum(-1, keepdim=True)  # é\n" * 3


def test_sealed_text_comes_back_and_cannot_be_read_meanwhile(tmp_path: Path) -> None:
    content = sealed(TEXT)
    (tmp_path / "03_softmax.sealed").write_bytes(content)
    assert opened(tmp_path / "03_softmax.sealed") == TEXT
    assert b"keepdim" not in content and b"softmax" not in content


@pytest.mark.parametrize("content", [b"", sealed(TEXT)[:-5], b"text"], ids=["empty", "cut short", "no seal"])
def test_damaged_seal_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "03_softmax.sealed").write_bytes(content)
    with pytest.raises(KataError, match=r"03_softmax\.sealed is damaged: unzip the bundle again"):
        opened(tmp_path / "03_softmax.sealed")
