"""The command line, `kata`: learners' commands, then teachers' and authors'."""

import os

os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # pydantic would look for some in every installed package

from . import learn, learn_further, teach_class, teach_course  # noqa: F401  each adds its commands
from .app import main

__all__ = ["main"]
