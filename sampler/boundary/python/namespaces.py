# Namespaces of a worker's own, for machines that allow them and have no
# bubblewrap: no network, no other process, no file but those it is shown.
# Everything that fails raises, and the pool then does without.
import ctypes
import os
import sys

# From linux/sched.h, sys/mount.h, linux/prctl.h and linux/capability.h.
NEW, NEW_USER = 0x20000 | 0x4000000 | 0x8000000 | 0x20000000 | 0x40000000, 0x10000000  # mount uts ipc pid net
RDONLY, NOSUID, NODEV, REMOUNT, BIND, REC, PRIVATE, RELATIME = 1, 2, 4, 32, 4096, 16384, 1 << 18, 1 << 21
KEPT = 2 | 4 | 8 | 1024 | 2048  # flags of a mount that statvfs tells under the same numbers
CAPABILITIES = 0x20080522


def enter(box, parent, user):
    """Moves this process into namespaces, as another user where it can."""

    def mount(source, at, kind, flags, data=None):
        b = [None if s is None else s.encode() for s in (source, at, kind, data)]
        must("mount " + at, libc.mount(b[0], b[1], b[2], ctypes.c_ulong(flags), b[3]))

    uid, gid = os.getuid(), os.getgid()
    must("unshare", libc.unshare(NEW if user else NEW | NEW_USER))
    if not user:
        own_ids(uid, gid)
    die_with(parent)
    child = os.fork()
    if child:  # waits, and ends as the worker ends
        os.close(0)
        os.close(1)
        os._exit(code(os.waitpid(child, 0)[1]))
    if os.getpid() != 1:
        raise OSError("the worker has no namespace of processes")
    mount(None, "/", None, REC | PRIVATE)
    root = box["root"]
    mount("tmpfs", root, "tmpfs", NOSUID | NODEV, "size=16m,mode=755")
    for path in ("/proc", "/tmp", "/dev/shm"):
        os.makedirs(root + path)
    for path in ("/tmp", "/dev/shm"):
        mount("tmpfs", root + path, "tmpfs", NOSUID | NODEV, "size=%d,mode=1777" % box["tmp"])
    for at, to in box["links"]:
        os.symlink(to, root + at)
    for path in box["binds"]:
        show(path, root, mount)
    for name in ("null", "zero", "full", "random", "urandom"):
        show("/dev/" + name, root, mount)
    mount("proc", root + "/proc", "proc", NOSUID | NODEV)
    shut(root, mount)
    os.chroot(root)
    os.chdir("/tmp")
    if user and not (open_to_all(sys.path + [sys.executable]) and become(user)):
        raise OSError("the worker cannot be another user, or that user cannot read the interpreter")
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    must("capset", libc.capset(header, nothing))
    die_with(0)


def own_ids(uid, gid):
    """Keeps the ids in a new user namespace as they were."""
    for file, line in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (uid, uid)), ("gid_map", "%d %d 1" % (gid, gid))):
        with open("/proc/self/" + file, "w") as f:
            f.write(line)


def show(path, root, mount):
    """Makes a file or folder visible below root, if it is there."""
    if os.path.isdir(path):
        os.makedirs(root + path, exist_ok=True)
    elif os.path.exists(path):
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        os.close(os.open(root + path, os.O_CREAT | os.O_WRONLY, 0o644))
    else:
        return
    mount(path, root + path, None, BIND | REC)


def shut(root, mount):
    """Makes all that is mounted at root or below read-only, but for its /tmp."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as f:
        points = [line.split(" ")[4] for line in f]
    for at in points:
        at = at.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
        if at in (root + "/tmp", root + "/dev/shm") or at != root and not at.startswith(root + "/"):
            continue
        flags = os.statvfs(at).f_flag
        if flags & RDONLY:
            continue
        relatime = RELATIME if flags & 4096 else 0
        mount(None, at, None, REMOUNT | BIND | RDONLY | relatime | flags & KEPT)
