# Prints without end while it is loaded.
while True:
    print("x" * 10_000)
