# One worker of the pool. The first line of its standard input is the set-up;
# each further line is one call: its id, and [function, arguments, module to
# load or null]. Each is answered by one line: the id, a word, and JSON.
import inspect
import json
import linecache
import os
import sys
import traceback
import types

LARGEST = 1 << 20  # bytes of a result


def limit(limits):
    import resource

    failed = []
    for name, most in limits.items():
        kind = getattr(resource, name, None)
        try:
            hard = resource.getrlimit(kind)[1]
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            resource.setrlimit(kind, (most, most))
        except (TypeError, ValueError, OSError):
            failed.append(name)
    return failed


def die_with(parent):
    """Asks the kernel to end this process when its parent ends."""
    try:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
        libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans stay below us
    except (ImportError, OSError, AttributeError):
        import threading
        import time

        def watch():
            while os.getppid() == parent:
                time.sleep(1)
            os._exit(0)

        threading.Thread(target=watch, daemon=True).start()
    if os.getppid() != parent:
        os._exit(0)


def text(value, most):
    s = str(value)
    return s if len(s) <= most else s[:most] + "..."


def where(error, file):
    """The innermost line of the module's own source in a traceback."""
    last = None
    for frame in traceback.extract_tb(error.__traceback__, limit=None):
        if frame.filename == file:
            last = frame
    if isinstance(error, SyntaxError) and error.filename == file:
        return {"line": error.lineno or 0, "code": text((error.text or "").strip(), 200)}
    if last is None:
        return {}
    return {"line": last.lineno, "in": last.name, "code": text(last.line or "", 200)}


def describe(error, file):
    out = {"type": "Exception", "message": ""}
    try:
        out["type"] = text(type(error).__name__, 100)
        out["retire"] = isinstance(error, MemoryError)
        if isinstance(error, ModuleNotFoundError):
            out["module"] = text(error.name, 200)
        out["message"] = text(error.msg if isinstance(error, SyntaxError) else error, 2000)
    except BaseException:
        out["message"] = "(its message cannot be shown)"
    try:
        out.update(where(error, file))
    except BaseException:
        pass
    return out


class Unfit(Exception):
    """What was loaded is not the function that was asked for."""


def load(number, module):
    file = "<" + module["name"] + ">"
    source = module["source"]
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = types.ModuleType("grader_%d" % number)
    space.__file__ = file
    sys.modules[space.__name__] = space
    exec(compile(source, file, "exec"), space.__dict__)
    function = getattr(space, module["function"], None)
    name, count = module["function"], module["args"]
    if function is None:
        raise Unfit("it defines no function %s" % name)
    if not callable(function):
        raise Unfit("%s is a %s, not a function" % (name, type(function).__name__))
    if inspect.iscoroutinefunction(function):
        raise Unfit("%s is async: it must be an ordinary function" % name)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in C: it will say so when it is called
        return function
    try:
        signature.bind(*([None] * count))
    except TypeError:
        raise Unfit("%s%s cannot be called with %d arguments" % (name, signature, count)) from None
    return function


def serve():
    # The protocol's ends are ours alone: what the functions print goes to
    # standard error, what they read is empty.
    calls, replies = os.fdopen(os.dup(0), "rb", 1 << 16), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)

    loads, dumps, write, getpid, leave = json.loads, json.dumps, os.write, os.getpid, os._exit
    frames, finite = sys._current_frames, (float("inf"), float("-inf"))
    pid = getpid()

    def reply(number, word, payload):
        line = memoryview(("%d %s %s\n" % (number, word, payload)).encode())
        while line:
            line = line[write(replies, line):]

    setup = loads(calls.readline())
    sys.path[:] = setup["path"]
    if setup["parent"]:
        die_with(setup["parent"])
    failed = limit(setup["limits"])
    reply(0, "ready", dumps({"failed": failed}))

    functions, files = {}, {}
    for line in calls:
        index, args, word = -1, None, "error"
        number, _, call = line.partition(b" ")
        number = int(number)
        try:
            index, args, module = loads(call.decode("utf-8", "replace"))
            if module is not None:
                word = "refused"
                files[index] = "<" + module["name"] + ">"
                functions[index] = load(index, module)
                word = "error"
            if args is None:
                word, payload = "result", "null"
            else:
                result = functions[index](*args)
                if type(result) is float and (result != result or result in finite):
                    word, payload = "unfit", dumps({"type": "float", "message": repr(result)})
                else:
                    word = "result"
                    try:
                        payload = dumps(result, allow_nan=False)
                    except (TypeError, ValueError) as e:
                        word = "unfit"
                        payload = dumps({"type": text(type(result).__name__, 100), "message": text(e, 500)})
                    if len(payload) > LARGEST:
                        word = "unfit"
                        payload = dumps({"type": type(result).__name__, "message": "it is longer than 1 MB"})
                if len(frames()) > 64:
                    word = "last-" + word
        except BaseException as e:
            word = "refused" if word == "refused" else "error"
            payload = dumps(describe(e, files.get(index, "")))
        if getpid() != pid:  # a fork of the function came back from it
            leave(0)
        args = result = None
        reply(number, word, payload)
    leave(0)


serve()
