# A constant that takes more memory than there is, when folded.
number = 1 << 10**12
