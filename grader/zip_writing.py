"""The one maker of zips: the same files give the same bytes, at any time and on any system."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Collection, Iterable

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def zip_of(files: Iterable[tuple[str, bytes]], programs: Collection[str] = ()) -> bytes:
    """A zip of these files, each with its path in the zip. programs: the paths of files that can be run."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, _UNIX
            entry.external_attr = (stat.S_IFREG | (0o755 if name in programs else 0o644)) << 16
            archive.writestr(entry, content)
    return packed.getvalue()
