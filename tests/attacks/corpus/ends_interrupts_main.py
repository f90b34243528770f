# Raises KeyboardInterrupt in the main thread from another.
import _thread
import threading


def softmax(scores, dim=-1):
    thread = threading.Thread(target=_thread.interrupt_main)
    thread.start()
    thread.join()
    return scores
