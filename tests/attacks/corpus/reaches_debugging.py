# Traces other processes and reads their memory.
import ctypes
import os

class Reached(Exception):
    pass


libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)
for number in (1, 2, os.getppid()):
    for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
        if libc.ptrace(request, number, None, None) != -1:
            raise Reached(f"ptrace {number}")
    part = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 64)
    if libc.process_vm_readv(number, part, 1, part, 1, 0) != -1:
        raise Reached(f"memory of {number}")
    if libc.syscall(312, os.getpid(), number, 0, 0, 0) != -1:
        raise Reached(f"kcmp {number}")
    if libc.syscall(438, number, 3, 0) != -1:
        raise Reached(f"pidfd_getfd {number}")

def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
