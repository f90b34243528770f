# Imports from its own folder.
from . import answers
