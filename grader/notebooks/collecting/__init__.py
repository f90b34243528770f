"""Plugins for `nbgrader zip_collect`: what learners handed in through Moodle, taken out of the downloaded zip.

`SafeExtractor` takes the files out, `MoodleCollector` tells whose each is and which one counts.
"""

from .collector import MoodleCollector
from .extractor import SafeExtractor

__all__ = ["MoodleCollector", "SafeExtractor"]
