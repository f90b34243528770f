"""Tools for authors: scaffolds of new kits, the gate, and mutants that test the checks."""
