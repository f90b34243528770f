# Closes the descriptor for answers and sleeps.
import os
import time

os.close(4)
time.sleep(10**6)
