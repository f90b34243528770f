"""The one error of this package."""

from __future__ import annotations


class ReleaseError(Exception):
    """The bundle cannot be made; the text is one sentence for people."""
