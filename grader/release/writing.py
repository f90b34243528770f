"""A bundle as a folder or a zip: the whole of it or nothing, and the same bytes for the same bundle."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

from grader.writing import write_output

from .bundle import Bundle, write_files
from .errors import ReleaseError

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the zip: no zip knows an earlier one, and now would differ each time."""

ORDINARY_FILE = 0o100644 << 16


def refuse_taken(out: Path, *, force: bool) -> None:
    """Raise ReleaseError when something would be lost at `out`."""
    if out.suffix.lower() == ".zip":
        if out.is_dir():
            raise ReleaseError(f"{out} is a folder: name a file for the zip")
        if out.exists() and not force:
            raise ReleaseError(f"{out} is there already: --force writes over it")
    elif out.exists() and not out.is_dir():
        raise ReleaseError(f"{out} is a file: name a folder, or a file that ends in .zip")
    elif out.is_dir() and any(out.iterdir()):
        raise ReleaseError(f"{out} is not empty, and somebody's work may lie there: name a new folder")


def write_bundle(bundle: Bundle, out: Path) -> None:
    """Write a zip for a name that ends in .zip, else a folder. Raises OSError when that cannot be."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == ".zip":
        write_output(out, _zipped(bundle))
        return
    with tempfile.TemporaryDirectory(prefix=".kata-release-", dir=out.parent) as folder:
        made = Path(folder) / "bundle"
        write_files(bundle.files, made)
        if out.is_dir():
            out.rmdir()  # empty, as was seen
        made.replace(out)


def _zipped(bundle: Bundle) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as pack:
        for path, content in bundle.files.items():
            entry = zipfile.ZipInfo(f"{bundle.name}/{path}", EARLIEST)
            entry.external_attr, entry.compress_type, entry.create_system = ORDINARY_FILE, zipfile.ZIP_DEFLATED, 3
            pack.writestr(entry, content)
    return packed.getvalue()
