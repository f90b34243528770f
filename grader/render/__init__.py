"""Renders result records in various forms; none of them changes a record."""
