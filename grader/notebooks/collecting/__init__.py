"""Plugins for `nbgrader zip_collect`: they collect what learners handed in through Moodle from the downloaded zip.

`SafeExtractor` extracts the files, `MoodleCollector` decides whose each file is and which one counts.
"""

from .extractor import SafeExtractor
from .moodle_collector import MoodleCollector

__all__ = ["MoodleCollector", "SafeExtractor"]
