# Divides by zero while it is loaded.
1 / 0
