# Serves an environment to gonogo over HTTP on loopback. Its first line of standard input has the settings, and one line of
# standard output answers it. It ends when its standard input does.
import asyncio
import contextlib
import importlib
import importlib.util
import json
import math
import os
import secrets
import shutil
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TURNS = 200  # most replies of a recorded episode


class Refused(Exception):
    """The environment cannot be used, and the text says why."""


class NoGrade(Exception):
    """There is no reward, and the text says why."""

    def __init__(self, text, kind="reported_error"):
        Exception.__init__(self, text)
        self.kind = kind


class Failed(Exception):
    """The rollout failed at a boundary: model, tool or agent."""

    def __init__(self, boundary, text):
        Exception.__init__(self, text)
        self.boundary = boundary


def short(value, most=400):
    text = " ".join(str(value).split())
    return text if len(text) <= most else text[:most] + "…"


def described(error):
    """An exception in one line."""
    text = short(error)
    return text if type(error) in (Refused, NoGrade, Failed) else (type(error).__name__ + (": " + text if text else ""))


def number(value, name):
    """A reward as a finite number. A missing one is never a zero."""
    if value is None:
        raise NoGrade("%s gave no reward" % name)
    if isinstance(value, bool):
        value = float(value)
    if not isinstance(value, (int, float)):
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise NoGrade("%s gave %s, which is not a number" % (name, short(repr(value), 80)), "not_a_number") from None
    if not math.isfinite(value):
        raise NoGrade("%s gave %s, which is not a finite number" % (name, value), "not_a_number")
    return float(value)


def installed(package, wanted):
    """The version of a package that is new enough."""
    from importlib import metadata

    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        raise Refused(
            "%s is not installed for %s: install %s>=%s there, or name the interpreter that has it (environment.python)" % (package, sys.executable, package, wanted)
        ) from None
    parts = [int("".join(c for c in part if c.isdigit()) or 0) for part in version.split(".")[:2]]
    if parts < [int(part) for part in wanted.split(".")]:
        raise Refused("%s %s is installed for %s, and %s or later is needed" % (package, version, sys.executable, wanted))
    return version


def sources(name):
    """A hash of the Python sources of a module, and of the package that it is in."""
    import hashlib

    top = sys.modules.get(name.split(".")[0])
    file, files = getattr(top, "__file__", None) or "", []
    folders = [os.path.dirname(file)] if os.path.basename(file) == "__init__.py" else [] if file else list(getattr(top, "__path__", []))
    for folder in folders:
        for at, below, names in os.walk(folder):
            below[:] = sorted(n for n in below if n[0] != "." and n != "__pycache__")
            files += [os.path.join(at, n) for n in sorted(names) if n.endswith(".py")]
    hashed = hashlib.sha256()
    for path in files or [f for f in [file] if f]:
        with open(path, "rb") as f:
            hashed.update(f.read() + b"\0")
    return ", sources " + hashed.hexdigest()[:16]


def calls_of(message):
    """The tool calls of a recorded message of either format, as (id, name, arguments)."""
    for call in message.get("tool_calls") or []:
        f = call.get("function") or call
        yield call.get("id") or "", f.get("name") or "", f.get("arguments") or "{}"


def replies_of(given):
    """The model's replies of a recorded rollout, the last with its answer. An answer that no model gave is one reply."""
    replies = []
    for message in given.get("messages") or []:
        if message.get("role") == "assistant":
            calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls_of(message)]
            replies.append({"content": message.get("content") or "", "calls": calls})
    text = given.get("text") or ""
    if not replies or replies[-1]["calls"]:
        replies.append({"content": text, "calls": []})
    return replies


class Recorded:
    """A model on loopback that replies what was recorded, then its last reply again."""

    def __init__(self, replies):
        self.replies, self.at, self.lock, key = replies, 0, threading.Lock(), secrets.token_hex(16)
        recorded = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                if self.headers.get("Authorization") == "Bearer " + key:
                    recorded.answer(self, body)
                else:
                    self.send_error(401, "another program's server")

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.model = {"base_url": "http://127.0.0.1:%d/v1" % self.server.server_address[1], "api_key": key, "name": "recorded", "api": "chat"}

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def next(self):
        with self.lock:
            reply = self.replies[min(self.at, len(self.replies) - 1)]
            self.at += 1
            return reply if self.at <= TURNS else None

    def answer(self, to, body):
        reply = self.next()
        if reply is None:
            to.send_error(500, "the environment asked for more than %d replies" % TURNS)
            return
        usage, model = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, body.get("model") or "recorded"
        if to.path.endswith("/chat/completions"):
            message = {"role": "assistant", "content": reply["content"]}
            if reply["calls"]:
                message["tool_calls"] = reply["calls"]
            finish = "tool_calls" if reply["calls"] else "stop"
            out = {"id": "recorded", "created": 0, "model": model}
            if body.get("stream"):
                for n, call in enumerate(message.get("tool_calls") or []):
                    message["tool_calls"][n] = dict(call, index=n)
                first = dict(out, object="chat.completion.chunk", choices=[{"index": 0, "delta": message, "finish_reason": None}])
                last = dict(out, object="chat.completion.chunk", choices=[{"index": 0, "delta": {}, "finish_reason": finish}], usage=usage)
                return self.write(to, b"".join(b"data: %s\n\n" % json.dumps(e).encode() for e in (first, last)) + b"data: [DONE]\n\n", "text/event-stream")
            out.update(object="chat.completion", choices=[{"index": 0, "message": message, "finish_reason": finish}], usage=usage)
        elif to.path.endswith("/responses") and not body.get("stream"):
            items = [{"type": "function_call", "id": "fc", "call_id": c["id"], "status": "completed", **c["function"]} for c in reply["calls"]]
            if reply["content"] or not items:
                text = {"type": "output_text", "text": reply["content"], "annotations": []}
                items.insert(0, {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [text]})
            out = {"id": "recorded", "object": "response", "created_at": 0, "model": model, "status": "completed", "output": items, "parallel_tool_calls": True,
                   "tools": [], "tool_choice": "auto", "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0,
                   "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}}  # fmt: skip
        else:
            to.send_error(404, "a recorded answer can be replayed by Chat Completions, or Responses without a stream")
            return
        self.write(to, json.dumps(out).encode(), "application/json")

    def write(self, to, body, kind):
        to.send_response(200)
        to.send_header("Content-Type", kind)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)


async def served(reader, writer, allowed, answer):
    """Serves the one request of a connection. It is cancelled if its caller goes."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:-2])}
        method, path = (head[0].split(" ") + [""])[:2]
        length = fields.get("content-length") or "0"
        if not allowed(path, fields):
            return answered(writer, 401, {"error": {"message": "this address or its key is not valid, or no longer"}})
        if not length.isdigit() or "transfer-encoding" in fields:
            return answered(writer, 411, {"error": {"message": "a request needs its length"}})
        work = asyncio.ensure_future(answer(writer, method, path, fields, await reader.readexactly(int(length))))
        gone = asyncio.ensure_future(reader.read(1))
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work}, timeout=30)
            return
        gone.cancel()
        work.result()
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


def answered(writer, status, value):
    body = json.dumps(value).encode()
    writer.write(b"HTTP/1.1 %d .\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (status, len(body)) + body)


class Relay:
    """Addresses that lead to the model of one rollout after another, for a library that keeps a client for each address and key. An
    address is secret; a key is not looked at."""

    def __init__(self):
        self.free, self.models = [], {}

    async def start(self):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, limit=1 << 26)
        self.port = server.sockets[0].getsockname()[1]

    @contextlib.contextmanager
    def address(self, model):
        """The address of a rollout's model, and a list of the requests that did not reach it. An address whose rollout was cancelled is
        not used again: a late request may follow."""
        place, lost = self.free.pop() if self.free else secrets.token_hex(16), []
        target = urllib.parse.urlsplit(model["base_url"])
        self.models[place] = (target, model["api_key"], lost)
        try:
            yield "http://127.0.0.1:%d/%s%s" % (self.port, place, target.path), lost
            self.free.append(place)
        finally:
            del self.models[place]

    async def connection(self, reader, writer):
        await served(reader, writer, lambda path, fields: path.split("/")[1:2] and path.split("/")[1] in self.models, self.forward)

    async def forward(self, writer, method, path, fields, body):
        place, _, rest = path[1:].partition("/")
        if place not in self.models:
            return answered(writer, 401, {"error": {"message": "the rollout of this address is over"}})
        target, key, lost = self.models[place]
        try:
            back, to = await asyncio.open_connection(target.hostname, target.port)
        except OSError as error:
            lost.append("the model cannot be reached: " + described(error))
            return answered(writer, 502, {"error": {"message": lost[-1]}})
        try:
            fields = {k: v for k, v in fields.items() if k not in ("x-api-key", "api-key")}
            fields.update(host=target.netloc, authorization="Bearer " + key, connection="close")
            lines = ["%s /%s HTTP/1.1" % (method, rest)] + ["%s: %s" % f for f in fields.items()]
            to.write("\r\n".join(lines + ["", ""]).encode("latin-1") + body)
            while part := await back.read(1 << 16):
                writer.write(part)
                await writer.drain()
        finally:
            to.close()


class Server:
    """Answers /items, /rollout and /grade. A request whose caller is gone is cancelled."""

    def __init__(self, environment, token):
        self.environment, self.token = environment, token

    async def serve(self):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, limit=1 << 26)
        return server.sockets[0].getsockname()[1]

    async def connection(self, reader, writer):
        await served(reader, writer, lambda path, fields: fields.get("authorization") == "Bearer " + self.token, self.answer)

    async def answer(self, writer, method, path, fields, body):
        answered(writer, 200, await self.reply(path, body))

    async def reply(self, path, body):
        try:
            given = json.loads(body or b"{}")
            if path == "/items":
                return {"rows": await self.environment.items(given["split"])}
            if path == "/rollout":
                return await self.rollout(given)
            if path == "/grade":
                return await self.environment.replay(given["split"], given["item_id"], given)
            return {}
        except Refused as error:
            return {"refused": described(error)}
        except Exception as error:
            complain(error)
            return {"error": {"boundary": "agent", "message": described(error)}}

    async def rollout(self, given):
        result = {"trace_id": given["trace_id"]}
        try:
            played = await self.environment.play(given["split"], given["item_id"], given["model"], given.get("limits") or {})
        except Failed as error:
            return dict(result, error={"boundary": error.boundary, "message": str(error)})
        except Exception as error:
            complain(error)
            return dict(result, error={"boundary": "agent", "message": "the environment: " + described(error)})
        result.update(output=played["output"], limit=played.get("limit") or "")
        return result if played.get("left") else dict(result, grade=played["grade"])


async def graded(rewarded):
    """The grade that a function returns, or why there is none."""
    try:
        return rewarded()
    except NoGrade as error:
        return {"error": str(error), "kind": error.kind}


async def replayed(environment, split, item, given):
    """The grade of a recorded rollout: the episode is played again with the recorded replies."""
    model = Recorded(replies_of(given))
    try:
        played = await environment.play(split, item, model.model, {})
    except Failed as error:
        return {"error": str(error), "kind": "reported_error"}
    finally:
        await asyncio.get_running_loop().run_in_executor(None, model.close)
    return played["grade"]


def forget():
    """Removes the folder that this file was written to, which a caller that was killed leaves."""
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    if os.path.basename(folder).startswith("gonogo-environment-"):
        shutil.rmtree(folder, ignore_errors=True)


def complain(error):
    import traceback

    traceback.print_exception(type(error), error, error.__traceback__)


def place(name):
    """What to import for a name: that of a module, or a path of one, whose folder is then searched for modules."""
    path = os.path.abspath(os.path.expanduser(name))
    if not os.path.exists(path):
        if name.endswith(".py") or name.startswith((".", "/", "~")):
            raise Refused("there is no %s" % path)
        sys.path.append(os.getcwd())  # a module beside the configuration, if no package has its name
        return name
    if not os.path.isdir(path) and not path.endswith(".py"):
        return name
    if os.path.isdir(path) and not (name.startswith((".", "/", "~")) or os.sep in name):
        return name  # the name of a module that happens to be a folder here too
    folder, base = os.path.split(path)
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = os.pathsep.join([folder] + [p for p in [os.environ.get("PYTHONPATH")] if p])
    return base[:-3] if base.endswith(".py") else base


async def main(kinds):
    lines = os.dup(1)
    os.dup2(2, 1)  # whatever the environment prints goes to standard error
    sys.stdout = sys.stderr
    for name in ("no_proxy", "NO_PROXY"):  # the model is on loopback, whatever proxy the shell has
        os.environ[name] = ",".join([n for n in [os.environ.get(name)] if n] + ["127.0.0.1", "localhost"])
    # what is installed beside the interpreter, such as uv, is found without activating its environment
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    loop = asyncio.get_running_loop()
    told = json.loads(await loop.run_in_executor(None, sys.stdin.buffer.readline))

    running, stop = False, asyncio.Event()

    def end():
        """Ends this process when its caller is gone, also while it is starting or blocked."""
        while os.read(0, 1 << 16):
            pass
        if running:
            loop.call_soon_threadsafe(stop.set)
            time.sleep(10)
        forget()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()

    def say(value):
        os.write(lines, json.dumps(value).encode() + b"\n")

    async with contextlib.AsyncExitStack() as stack:
        try:
            environment = kinds[told["kind"]](told, stack)
            await environment.start()
            port = await Server(environment, told["token"]).serve()
        except Refused as error:
            return say({"refused": described(error)})
        except Exception as error:
            complain(error)
            return say({"refused": described(error)})
        say({"url": "http://127.0.0.1:%d" % port, "package": environment.about, "range": environment.range})
        running = True
        await stop.wait()
    forget()
    os._exit(0)
