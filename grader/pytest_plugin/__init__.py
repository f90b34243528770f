"""The plugin for `pytest exercises/...`."""
