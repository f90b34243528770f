# Makes, moves, links and removes files.
import os
import tempfile


class Reached(Exception):
    pass


def act():
    attempts = [
        lambda: os.mkdir("/tmp/left_behind"), lambda: os.mkdir("left_behind"), lambda: os.symlink("/etc/passwd", "/tmp/left_behind"),
        lambda: os.link(os.__file__, "/tmp/left_behind"), lambda: os.rename(os.__file__, os.__file__ + ".old"),
        lambda: os.unlink(os.__file__), lambda: os.rmdir("/tmp"), lambda: os.mkfifo("/tmp/left_behind"), lambda: os.chmod("/tmp", 0o777),
        lambda: os.chown("/tmp", 0, 0), lambda: os.truncate(os.__file__, 0), lambda: os.utime(os.__file__), lambda: os.setxattr("/tmp", "user.x", b"x"),
        lambda: os.chdir("/usr"), lambda: os.chroot("/usr"), lambda: tempfile.mkdtemp(), lambda: tempfile.NamedTemporaryFile(), lambda: os.memfd_create("x"),
    ]
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except OSError:
            continue
        raise Reached(f"attempt {number} succeeded")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
