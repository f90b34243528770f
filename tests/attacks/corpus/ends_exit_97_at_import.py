# Claims by its exit code that the sandbox could not be set up.
import os

os._exit(97)
