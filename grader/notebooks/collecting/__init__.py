"""Plugins for `nbgrader zip_collect`: they collect what learners handed in through Moodle from the downloaded zip.

`SafeExtractor` extracts the files, `MoodleCollector` decides whose each file is and which one counts.
"""

from .collector import MoodleCollector
from .extractor import SafeExtractor

__all__ = ["MoodleCollector", "SafeExtractor"]
