"""A copy of Python, its packages and this program that other users may enter, as on a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grader

LEFT_OUT = ("site-packages", "dist-packages", "test")
"""Most of a Python's own files; the packages come from the environment."""


@contextmanager
def copied_for_all() -> Iterator[Path]:
    """A folder with env/bin/python, which has the packages, and project/grader; it lies where every user may enter."""
    room = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())  # into pytest's folder only root may go
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    try:
        room.chmod(0o755)
        (room / "env" / "bin").mkdir(parents=True)
        base = Path(sys.base_prefix)
        needed = [f"bin/{version}", *(path.relative_to(base) for path in base.glob("lib/libpython*"))]
        needed += [path.relative_to(base) for path in base.glob(f"lib/{version}/*") if path.name not in LEFT_OUT]
        for path in needed:
            (room / "python" / path).parent.mkdir(parents=True, exist_ok=True)
            _link_tree(base / path, room / "python" / path)
        for part in ("lib", "share", "etc"):
            if (Path(sys.prefix) / part).is_dir():
                _link_tree(Path(sys.prefix) / part, room / "env" / part)
        (room / "env" / "bin" / "python").symlink_to(room / "python" / "bin" / version)
        (room / "env" / "pyvenv.cfg").write_text(f"home = {room}/python/bin\ninclude-system-site-packages = false\n")
        shutil.copytree(Path(grader.__file__).parent, room / "project" / "grader")
        yield room
    finally:
        subprocess.run(["rm", "-rf", str(room)], check=True)  # many times as fast as shutil for so many files


def _link_tree(source: Path, target: Path) -> None:
    """Copy a file or tree by hard links where the file system allows it."""
    if subprocess.run(["cp", "-al", str(source), str(target)], capture_output=True, check=False).returncode:
        shutil.copytree(source, target, symlinks=True) if source.is_dir() else shutil.copy(source, target)
