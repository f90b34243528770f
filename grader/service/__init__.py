"""The service: one warm judge for all commands, started on first use, private to its user."""
