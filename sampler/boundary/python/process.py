# What a worker asks of the kernel for its own process.
import os
import signal
import stat
import struct
import sys

try:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl
except (ImportError, OSError, AttributeError):  # no Linux, or an interpreter built without
    libc = None

PDEATHSIG, DUMPABLE, SECCOMP, SUBREAPER, NO_NEW_PRIVS = 1, 4, 22, 36, 38  # from linux/prctl.h


def must(what, result):
    if result != 0:
        raise OSError(ctypes.get_errno(), what)


def control(option, value):
    must("prctl", libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)))


def die_with(parent):
    """Has this process end when its parent does; a parent of 0 is outside of
    the namespace. What it starts can win no rights, and stays below it."""
    if libc is None:
        watch(parent)
    else:
        control(PDEATHSIG, 9)
        control(SUBREAPER, 1)
        control(NO_NEW_PRIVS, 1)
    if os.getppid() != parent:
        os._exit(0)


# System calls that take memory which no limit on a process counts: memfd_create, memfd_secret, and shared
# memory of System V. By the architecture as the kernel names it (linux/audit.h).
UNCOUNTED = {
    0xC000003E: (319, 447, 29),  # x86-64
    0x40000003: (356, 447, 395, 117),  # i386, where 117 is all of System V
    0xC00000B7: (279, 447, 194),  # aarch64
    0x40000028: (385, 447, 307),  # arm
}


def keep_memory_counted():
    """Has the kernel answer ENOSYS to UNCOUNTED, for this process and all that it starts. False where it cannot."""
    if libc is None or os.uname().machine not in ("x86_64", "i386", "i686", "aarch64", "armv7l", "armv8l"):
        return not sys.platform.startswith("linux")
    load, equal, bits, give = 0x20, 0x15, 0x45, 0x06  # BPF: a word, a jump if equal, one if any bit is set, the result
    allow, refuse = 0x7FFF0000, 0x00050000 | 38
    program = [(load, 0, 0, 4)]  # the architecture
    for arch, calls in UNCOUNTED.items():
        program += [(equal, 0, len(calls) + 4, arch), (load, 0, 0, 0), (bits, len(calls) + 1, 0, 1 << 30)]  # x32
        program += [(equal, len(calls) - i, 0, number) for i, number in enumerate(calls)]
        program += [(give, 0, 0, allow), (give, 0, 0, refuse)]
    program.append((give, 0, 0, allow))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    zero = ctypes.c_ulong(0)
    return (
        libc.prctl(NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) == 0
        and libc.prctl(SECCOMP, ctypes.c_ulong(2), head, zero, zero) == 0
    )


def guard(child):
    """Stays above a worker until both are killed: what loses its parent below
    becomes a child of the guard and cannot get away. Tells how the worker
    ended, if it does so by itself."""
    os.close(0)
    status = os.waitpid(child, 0)[1]
    os.write(1, b"0 ended %d\n" % code(status))
    os.close(1)
    while True:
        signal.pause()


def code(status):
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def watch(parent):
    """Does what the kernel does elsewhere."""
    import threading
    import time

    def look():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(0)

    threading.Thread(target=look, daemon=True).start()


def become(user):
    """Takes another user's id: the number of root's processes is not limited.
    Some containers have small numbers only."""
    os.setgroups([])
    for uid in ((1 << 30) + user, 60000 + user % 4000):
        try:
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:
            continue
        control(DUMPABLE, 1)
        return True
    return False


def open_to_all(paths):
    """Whether every user may read these files and folders."""
    for path in paths:
        path = os.path.realpath(path)
        if not os.path.exists(path):
            continue
        need = stat.S_IROTH
        while True:
            mode = os.stat(path).st_mode
            if stat.S_ISDIR(mode):
                need |= stat.S_IXOTH
            if mode & need != need:
                return False
            if path == "/":
                break
            path, need = os.path.dirname(path), stat.S_IXOTH
    return True
