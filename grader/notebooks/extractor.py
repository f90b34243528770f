"""`nbgrader zip_collect`: takes the notebooks out of a learning platform's download, and nothing else.

nbgrader's own extractor unpacks every file of every zip, nested zips too, without a limit: a bomb fills the disk, one
name that leads outside or one damaged zip ends the command, and links are followed. Here the intake's reader of zips
reads everything. Whose a notebook is, nbgrader's collector decides by its `named_regexp`. It is asked here too: each
learner has a budget, and two files for one place would end the collecting for everybody.

What is left out is named, and stays in `archive/`.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from posixpath import basename

from nbgrader.plugins import ExtractorPlugin

from grader.errors import printable
from grader.files import UnreadableError, open_regular
from grader.intake import SubmissionError
from grader.intake.names import kind_of_file
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.walk import (
    MAX_TOTAL_MB,
    MB,
    ZIP_MB,
    Content,
    Read,
    list_folder,
    list_zip,
    reading_clock,
)

CLASS_MB = 2048  # of a zip that holds the submissions of a class
MOST_NAMED = 5  # problems of one learner; the rest are counted
_LATE = re.compile("_LATE(?=_[0-9]+_[0-9]+_)")  # Canvas writes it before the number of whoever hands in late


class SafeExtractor(ExtractorPlugin):
    """Writes each learner's notebook below `extracted/`, under its path in the download."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Take the notebooks from the folders, the zips, and the zips in zips of `archive_path`."""
        self._archive, self._extracted = Path(archive_path), Path(extracted_path)
        self._bytes: Counter[str] = Counter()
        self._left_out: defaultdict[str, list[str]] = defaultdict(list)
        self._taken: dict[str, Path] = {}
        try:
            self._take_all(list_folder(self._archive))
        except UnreadableError as error:
            self.log.error("%s %s.", archive_path, error)
        for told in self._left_out.values():
            more = f", and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
            self.log.warning("Left out: %s%s.", "; ".join(told[:MOST_NAMED]), more)

    def _take_all(self, found: Iterable[tuple[str, Content]], prefix: str = "", depth: int = 0) -> None:
        """Take the notebooks among these files, and in the zips among them; what is left out is named at the end.

        depth: 0 for what lies in `archive/`, 1 for what is in a zip there, 2 for what is in a zip in that.
        """
        for name, content in found:
            where, kind, shown = prefix + name, kind_of_file(name), printable(basename(name))
            try:
                if isinstance(content, UnreadableError):
                    raise content
                if kind == "notebook":
                    self._take_notebook(where, content)
                elif kind == "zip" and depth == 0:
                    with open_regular(self._archive / where) as file:
                        self._take_all(list_zip(file, CLASS_MB), f"{where[:-4]}/", 1)
                elif kind == "zip" and depth == 1:
                    with reading_clock(shown):
                        inner = list_zip(io.BytesIO(content(ZIP_MB * MB)))
                        self._take_all(inner, f"{where[:-4]}/", 2)
                else:
                    raise UnreadableError("is no notebook")
            except (SubmissionError, UnreadableError, OSError) as error:
                why = f"({str(error).rstrip('.')})" if isinstance(error, SubmissionError) else error
                self._left_out["/".join(where.split("/")[:2])].append(f"{printable(where, len(where))} {why}")

    def _take_notebook(self, where: str, read: Read) -> None:
        """Write a notebook. Raises UnreadableError: it is nobody's, too large, or not the only one."""
        parts = [printable(unicodedata.normalize("NFC", _LATE.sub("", part))) for part in where.split("/")]
        path = self._extracted.joinpath(*parts).with_suffix(".ipynb")  # the only spelling that nbgrader collects
        found = re.match(self.parent.collector_plugin_inst.named_regexp, str(path))
        named = found.groupdict() if found else {}
        if not (named.get("student_id") and named.get("file_id")):
            raise UnreadableError("has no learner and unit in its name (named_regexp in nbgrader_config.py)")
        learner, place = named["student_id"], f"{named['student_id']}/{named['file_id']}"
        content = b""
        if self._bytes[learner] <= MAX_TOTAL_MB * MB:
            self._bytes[learner] += NOTEBOOK_MB * MB  # what cannot be read costs as much time
            content = read(NOTEBOOK_MB * MB)
            self._bytes[learner] += len(content) - NOTEBOOK_MB * MB
        if not content or len(content) > NOTEBOOK_MB * MB:
            raise UnreadableError(f"is empty, larger than {NOTEBOOK_MB} MB, or beyond a learner's {MAX_TOTAL_MB} MB")
        first = self._taken.setdefault(place.casefold(), path)
        if first is path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        elif not first.is_file() or first.read_bytes() != content:
            first.unlink(missing_ok=True)
            raise UnreadableError(
                f"and {first.relative_to(self._extracted)} are both {place}.ipynb and differ, so neither is collected"
            )
