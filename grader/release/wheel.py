"""Writes this program as a wheel, with a course in it or without: a zip that pip installs.

Follows "Binary distribution format" of packaging.python.org. The same files give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import string
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

import grader
from grader.course.installed import CARRIED
from grader.zip_writing import zip_of

PROJECT = "attention-kata"
DIGEST_LETTERS = 8
_HIDDEN = "."
_LEFT_OUT = {"__pycache__", CARRIED}
_WHEEL = "Wheel-Version: 1.0\nGenerator: attention-kata\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel_of(course: Mapping[str, bytes] | None = None, kind: str = "") -> tuple[str, bytes]:
    """The wheel's file name and its content.

    course: the files that it carries. kind: "answers" or "plans"; the version ends in it and a digest of everything, so
    that pip installs one wheel over another.
    Raises PackageNotFoundError where the program was not installed, OSError.
    """
    files = dict(_package_files())
    files |= {f"{grader.__name__}/{CARRIED}/{path}": content for path, content in (course or {}).items()}
    told = distribution(PROJECT)
    metadata = told.read_text("METADATA") or ""
    version = f"{grader.__version__}+{kind}.{_digest(files, metadata)}" if kind else grader.__version__
    info = f"{PROJECT.replace('-', '_')}-{version}"
    about = {
        "METADATA": re.sub("^Version: .*$", f"Version: {version}", metadata, count=1, flags=re.MULTILINE),
        "WHEEL": _WHEEL,
        "entry_points.txt": told.read_text("entry_points.txt") or "",
        "licenses/LICENSE": told.read_text("licenses/LICENSE") or "",
    }
    files |= {f"{info}.dist-info/{name}": text.encode() for name, text in about.items()}
    record = f"{info}.dist-info/RECORD"
    files[record] = _record(files, record)
    return f"{info}-py3-none-any.whl", zip_of(files.items())


def _package_files() -> Iterator[tuple[str, bytes]]:
    """This package without a course, whether it runs from a clone or was installed from a wheel."""
    folder = Path(grader.__file__).parent
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder.parent)
        if path.is_file() and _LEFT_OUT.isdisjoint(inside.parts) and not path.name.startswith(_HIDDEN):
            yield inside.as_posix(), path.read_bytes()


def _digest(files: Mapping[str, bytes], metadata: str) -> str:
    """Small letters only: a version strips the zeros in front of a number."""
    digest = hashlib.sha256(re.sub("^Version: .*$", "", metadata, count=1, flags=re.MULTILINE).encode())
    for path, content in files.items():
        digest.update(f"\0{path}\0{len(content)}\0".encode() + content)
    return "".join(string.ascii_lowercase[byte % 26] for byte in digest.digest()[:DIGEST_LETTERS])


def _record(files: Mapping[str, bytes], own_path: str) -> bytes:
    """The list of all files with their digests, by which pip installs and removes them."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own_path},,\n"]).encode()
