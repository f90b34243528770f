# Lets threads take the processor from the one that answers, so that it seems to be the machine.
import threading


def spin():
    while True:
        pass


for _ in range(8):
    threading.Thread(target=spin, daemon=True).start()

while True:
    sum(range(1000))
