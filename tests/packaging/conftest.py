"""Both wheels of a tiny course, made by `kata release`, and the one with answers in a virtual environment of its own.

The environment holds what the wheel declares to need and nothing else: these packages are linked (or copied) from the
project's environment, file by file, as fetching torch again would take minutes. The program itself comes from the wheel
alone; neither the clone nor anything else of the project's environment is on the path there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

BUILD_SECONDS = 400

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Installation:
    """The environment, and a folder that lies outside of every course."""

    python: Path
    outside: Path

    @property
    def kata(self) -> Path:
        """The command as the wheel installs it."""
        return self.python.with_name("kata")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> dict[str, Path]:
    """The wheels with answers and without."""
    course = make_course(tmp_path_factory.mktemp("source") / "clone", "01_parts/01_share")
    made = {}
    for kind in ("answers", "plans"):
        option = "--with-answers" if kind == "answers" else "--without-answers"
        done = kata("release", "--out", course / kind, option, cwd=course, seconds=BUILD_SECONDS)
        assert done.returncode == 0, done.stderr
        (made[kind],) = (course / kind).glob("*.whl")
    return made


@pytest.fixture(scope="module")
def install(run_command: Run) -> Callable[[Path, Path], None]:
    """Has pip install a wheel for a Python: over another one, if that is there."""

    def install(python: Path, wheel: Path) -> None:
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
        done = run_command(*pip, cwd=wheel.parent, seconds=BUILD_SECONDS)
        assert done.returncode == 0, done.stderr

    return install


@pytest.fixture(scope="module")
def installed(
    wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, install: Callable[[Path, Path], None]
) -> Installation:
    """The wheel with answers in its environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv")}))
    for each in needed_by(wheels["answers"]):
        link_files(each, site)
    install(python, wheels["answers"])
    (folder / "outside").mkdir()
    return Installation(python, folder / "outside")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Courses are unpacked into no folder of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["XDG_CACHE_HOME"])


def needed_by(wheel: Path) -> list[Distribution]:
    """The packages that the wheel says it needs, with what these need in turn, of this environment."""
    with zipfile.ZipFile(wheel) as pack:
        (metadata,) = (name for name in pack.namelist() if name.endswith(".dist-info/METADATA"))
    found: dict[str, Distribution] = {}
    asked = list(declared(PathDistribution(zipfile.Path(wheel, metadata.removesuffix("METADATA")))))
    for each in asked:
        if each.name.lower() not in found:
            found[each.name.lower()] = distribution(each.name)
            asked += declared(found[each.name.lower()], each.extras)
    return list(found.values())


def declared(package: Distribution, extras: Iterable[str] = ()) -> Iterable[Requirement]:
    """What a package needs here, with some of its extras."""
    for each in map(Requirement, package.requires or ()):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield each


def link_files(package: Distribution, site: Path) -> None:
    """Give a package's files a second name in another environment; its commands stay behind."""
    for file in package.files or ():
        if ".." in file.parts:
            continue
        source, target = Path(str(package.locate_file(file))), site / file
        if source.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except OSError:  # on another disk
                shutil.copyfile(source, target)
