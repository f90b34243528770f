# Sleeps instead of being loaded.
import time

time.sleep(10**6)
