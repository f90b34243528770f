# Ends the process as a success while the file is loaded.
import os

os._exit(0)
