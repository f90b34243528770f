"""Tools for authors: scaffolds of new kits, and the gate."""
