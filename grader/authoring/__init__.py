"""The author's side: new kits, their gate, and slips that test the checks."""
