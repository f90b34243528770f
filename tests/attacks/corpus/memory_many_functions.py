# Defines twenty thousand functions with names like the one that is asked for, and not that one.
for number in range(20_000):
    exec(f"def softma{number}():\n    pass")
