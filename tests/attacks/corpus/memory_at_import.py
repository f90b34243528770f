# Needs a terabyte while it is loaded.
kept = bytearray(10**12)
