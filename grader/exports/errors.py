"""What can go wrong with an export."""

from __future__ import annotations


class ExportError(Exception):
    """The results cannot be exported as asked; the text is one sentence."""
