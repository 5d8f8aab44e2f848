# One worker of the pool. The first line of its standard input is the set-up;
# each further line is a call: its id, and [function, arguments, null], or
# [function, null, module to load]. Each is answered by one line: the id, a
# word, and JSON.
import importlib.util
import inspect
import json
import linecache
import os
import resource
import sys
import traceback
import types

LARGEST = 1 << 20  # bytes of a result
THREADS = 64  # more than that are too many to leave behind
INF = float("inf")

# Kept from the reach of a function that replaces them.
loads, dumps, frames = json.loads, json.dumps, sys._current_frames


def limit(limits):
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


def define(name, file, source):
    """Runs a source as a module of that name."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = types.ModuleType(name)
    space.__file__ = file
    sys.modules[name] = space
    exec(compile(source, file, "exec"), space.__dict__)
    return space


class Beside:
    """Finds the modules that lie beside a source, each when it is imported."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        return importlib.util.spec_from_loader(name, self, origin=name + ".py")

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file, source = "<%s.py>" % module.__name__, self.modules[module.__name__]
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        exec(compile(source, file, "exec"), module.__dict__)


def load(number, module):
    file, beside = "<" + module["name"] + ">", module.get("modules")
    if beside:
        for name in beside:  # another source may have one of the same name
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, Beside(beside))
    space = define("grader_%d" % number, file, module["source"])
    if module.get("adapter"):
        adapter = define("adapter_%d" % number, "<adapter>", module["adapter"])
        return adapter.adapt(space, module["options"])
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


def first_line():
    """Reads the set-up and not a byte more: a fork may come before the rest."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 1)
        if not more:
            os._exit(0)
        line += more
    return line


def encode(result):
    """The word and the JSON of what a function returned."""
    kind = type(result)
    if kind is float and (result != result or result in (INF, -INF)):
        return "unfit", dumps({"type": "float", "message": repr(result)})
    try:
        payload = dumps(result, allow_nan=False)
    except (TypeError, ValueError) as e:
        return "unfit", dumps({"type": text(kind.__name__, 100), "message": text(e, 500)})
    if len(payload) > LARGEST:
        return "unfit", dumps({"type": text(kind.__name__, 100), "message": "it is longer than 1 MB"})
    return "result", payload


def answer(call, functions):
    """Carries out one call. Only what the functions do may fail."""
    index, word, file = -1, "error", ""
    try:
        index, args, module = loads(call.decode("utf-8", "replace"))
        if module is not None:
            word, file = "refused", "<" + module["name"] + ">"
            functions[index] = (load(index, module), file)
            return "result", "null"
        function, file = functions[index]
        word, payload = encode(function(*args))
        # Threads that were left behind: the next call gets a clean worker.
        return ("last-" + word if len(frames()) > THREADS else word), payload
    except BaseException as e:
        return word, dumps(describe(e, file))


def prepare():
    """Sets the worker up and returns the protocol's two ends. They are ours
    alone: what the functions print goes to standard error, what they read is
    empty."""
    setup = loads(first_line())
    sys.path[:] = setup["path"]
    user = setup["user"]
    if setup["box"]:
        enter(setup["box"], setup["parent"], user)
    elif setup["parent"]:
        user = user and libc is not None and open_to_all(sys.path + [sys.executable]) and become(user)
        die_with(setup["parent"])
        above = os.getpid()
        child = libc and os.fork()
        if child:
            guard(child)
        if libc:
            die_with(above)
    failed = limit(setup["limits"])
    if not keep_memory_counted():
        failed.append("a ban on memory that is not counted")
    calls, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    return os.fdopen(calls, "rb", 1 << 16), replies, {"failed": failed, "user": bool(user)}


def serve():
    write, getpid, leave = os.write, os.getpid, os._exit

    def reply(number, word, payload):
        line = memoryview(b"%s %s %s\n" % (number, word.encode(), payload.encode()))
        while line:
            line = line[write(replies, line) :]

    calls, replies, ready = prepare()
    pid, functions = getpid(), {}
    reply(b"0", "ready", dumps(ready))
    for line in calls:
        number, _, call = line.partition(b" ")
        word, payload = answer(call, functions)
        if getpid() != pid:  # a fork of a function came back from it
            break
        reply(number, word, payload)
    leave(0)


serve()
