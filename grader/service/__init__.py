"""The service: one judge kept warm in a process of its own, for all commands of its user."""
