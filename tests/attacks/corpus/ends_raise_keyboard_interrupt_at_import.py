# Raises KeyboardInterrupt while the file is loaded.
raise KeyboardInterrupt
