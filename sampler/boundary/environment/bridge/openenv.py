EVAL_SEEDS = 1000000  # where the seeds of the eval split begin
PATIENCE = 600  # seconds that an episode waits for a server whose sessions are all taken
ANSWER = 180  # longest time for one step, in seconds


class OpenEnv:
    """An environment of OpenEnv 0.10: episodes of reset and step, driven by replies of the model that it is handed."""

    def __init__(self, told, stack):
        self.told, self.stack, self.tools, self.field, self.description, self.range = told, stack, None, "", "", None
        self.about = "openenv %s" % installed("openenv", "0.10")
        core = importlib.import_module("openenv.core.generic_client")
        self.client, self.args = core.GenericEnvClient, told.get("args") or {}
        self.free, self.active, self.most = asyncio.Condition(), 0, 10**9

    async def start(self):
        from concurrent.futures import ThreadPoolExecutor

        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(128))
        name = self.told["name"]
        self.url = name.rstrip("/") if "://" in name else await self.serve(name)
        if "://" not in name:
            self.about += sources(self.module)
        schema = await self.get("/schema", required=True)
        self.description = ((await self.get("/metadata")) or {}).get("description") or ""
        try:
            async with self.session() as env:
                found = await env.step({"type": "list_tools"})
                self.tools = [openenv_tool(t) for t in found.observation["tools"]]
        except (RuntimeError, KeyError, TypeError):
            self.tools = None  # its actions are its own
        if self.tools is None:
            self.act_on(schema.get("action") or {})

    def act_on(self, action):
        """Finds how the model acts: by its text if an action is one text, else by a tool that takes an action."""
        fields = {k: v for k, v in (action.get("properties") or {}).items() if k != "metadata"}
        needed = [k for k in action.get("required") or [] if k in fields]
        if len(needed) == 1 and fields[needed[0]].get("type") == "string" and not fields[needed[0]].get("enum"):
            self.field = needed[0]
            return
        kind = {"type": "object", "properties": fields, "required": needed}
        if action.get("$defs"):
            kind["$defs"] = action["$defs"]
        self.tools = [{"name": "step", "description": action.get("description") or "Takes one action in the environment.", "parameters": kind}]

    async def serve(self, name):
        """Serves an application on loopback, in this process."""
        module, _, attribute = name.rpartition(":")
        if not module:
            raise Refused("environment.openenv is %s: it must be the URL of a server, or MODULE:NAME or FILE.py:NAME of an application" % name)
        try:
            self.module = place(module)
            application = getattr(importlib.import_module(self.module), attribute)
        except AttributeError:
            raise Refused("%s defines no %s" % (module, attribute)) from None
        except ModuleNotFoundError as error:
            raise Refused("%s cannot be imported by %s: %s" % (module, sys.executable, short(error))) from None
        import socket

        import uvicorn

        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
        self.serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        while not server.started:
            if self.serving.done():
                raise Refused("the application %s did not start: %s" % (name, self.serving.exception()))
            await asyncio.sleep(0.02)
        return "http://127.0.0.1:%d" % listener.getsockname()[1]

    async def get(self, path, required=False):
        def ask():
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return json.loads(answer.read())

        try:
            return await asyncio.get_running_loop().run_in_executor(None, ask)
        except (OSError, ValueError) as error:
            if required:
                raise Refused("no OpenEnv server answers at %s: %s" % (self.url, short(getattr(error, "reason", error)))) from None
            return None

    @contextlib.asynccontextmanager
    async def session(self):
        """A session of its own, once the server has one to give. Those that wait do not ask: a refusal says how many there are."""
        loop, env = asyncio.get_running_loop(), None
        until = loop.time() + PATIENCE
        while env is None:
            async with self.free:
                await self.free.wait_for(lambda: self.active < self.most)
                self.active += 1
            try:
                env = await self.connected()
            finally:
                if env is None:
                    await self.leave()
            if env is None:
                self.most = max(1, min(self.most, self.active))
                if loop.time() > until:
                    raise Failed("tool", "the environment gave no session within %d s: all are taken" % PATIENCE)
                if not self.active:
                    await asyncio.sleep(0.2)  # others have them
        try:
            yield env
        finally:
            await closed(env)
            await self.leave()

    async def leave(self):
        async with self.free:
            self.active -= 1
            self.free.notify_all()

    async def connected(self):
        """A session; None if the server has no more."""
        env = self.client(base_url=self.url, message_timeout_s=ANSWER)
        try:
            await env.connect()
            await env.state()  # a server without a free session says so at the first message
            return env
        except RuntimeError as error:
            await closed(env)
            if "CAPACITY_REACHED" in str(error):
                return None
            if "FACTORY_ERROR" in str(error) or "SESSION_ERROR" in str(error):
                raise Failed("tool", "the environment gave no session: %s" % short(error)) from None
        env = self.client(base_url=self.url, message_timeout_s=ANSWER)  # its state cannot be read
        await env.connect()
        return env

    async def items(self, split):
        most, first = self.told.get("limit") or 64, EVAL_SEEDS if split == "eval" else 0
        slots = asyncio.Semaphore(8)

        async def row(seed):
            shown = {}
            try:
                async with slots, self.session() as env:
                    shown = (await self.reset(env, split, seed)).observation
            except RuntimeError as error:  # its rollouts fail, and say why
                failed.append(error)
            return {"id": "seed-%d" % seed, "seed": seed, "messages": self.opening(shown)}

        failed = []
        rows = await asyncio.gather(*(row(first + n) for n in range(most)))
        if len(failed) == most:
            raise Refused("the environment fails at each reset: %s" % short(failed[-1]))
        return rows

    async def reset(self, env, split, seed):
        return await env.reset(**dict(merged(self.args, self.told["splits"].get(split) or {}), seed=seed))

    def opening(self, observation):
        system = [{"role": "system", "content": self.told["prompt"]}] if self.told.get("prompt") else []
        return system + [{"role": "user", "content": seen(observation) or self.description or "Begin."}]

    async def play(self, split, item, model, limits):
        try:
            async with self.session() as env:
                return await self.episode(env, split, int(item.rpartition("-")[2]), model, limits)
        except Failed:
            raise
        except RuntimeError as error:
            raise Failed("tool", "the environment reports: %s" % short(error)) from None
        except Exception as error:
            if not isinstance(error, OSError) and type(error).__module__.split(".")[0] != "websockets":
                raise
            raise Failed("tool", "the environment's server is lost: %s" % described(error)) from None

    async def episode(self, env, split, seed, model, limits):
        shown = await self.reset(env, split, seed)
        talk = Talk(model, self.opening(shown.observation), self.tools, self.told.get("sampling") or {})
        rewards, steps, calls, output, limit = [shown.reward], 0, 0, "", ""
        most, most_calls = limits.get("max_steps") or 0, limits.get("max_tool_calls") or 0
        while not shown.done and not limit:
            if most and steps >= most:
                limit = "max_steps of %d" % most
                break
            reply = await talk.reply()
            steps += 1
            output = reply["content"].strip() or output
            if self.field:
                shown = await env.step({self.field: reply["content"]})
                rewards.append(shown.reward)
                talk.add({"role": "user", "content": seen(shown.observation) or "Go on."})
                continue
            if not reply["calls"]:
                break
            for ident, name, arguments in reply["calls"]:
                if (most and steps >= most) or (most_calls and calls >= most_calls):
                    limit = "max_tool_calls of %d" % most_calls if most_calls and calls >= most_calls else "max_steps of %d" % most
                    break
                steps, calls = steps + 1, calls + 1
                output = "%s(%s)" % (name, arguments)
                shown, text = await self.call(env, name, arguments, shown)
                rewards.append(shown.reward if shown is not None else None)
                talk.add({"role": "tool", "tool_call_id": ident, "content": text})
                if shown.done:
                    break
        given = [r for r in rewards if r is not None]
        if not given and not shown.done:  # it was left before it was worth anything
            return {"output": "", "limit": limit, "left": True, "grade": {"reward": self.told.get("floor") or 0.0, "parts": {}}}
        return {"output": output, "limit": limit, "grade": await graded(lambda: self.reward(given, steps))}

    def reward(self, given, steps):
        values = [number(r, "the environment") for r in given]
        if not values:
            raise NoGrade("the environment gave no reward in %d step%s" % (steps, "" if steps == 1 else "s"))
        return {"reward": sum(values) if self.told.get("reward") == "sum" else values[-1], "parts": {}}

    async def call(self, env, name, arguments, before):
        """Makes a tool call of the model. What is wrong with it is shown to the model."""
        if name not in [t["name"] for t in self.tools]:
            return quiet(before), "Error: there is no tool %s" % name
        try:
            given = json.loads(arguments or "{}")
            if not isinstance(given, dict):
                raise ValueError("they are no object")
        except ValueError as error:
            return quiet(before), "Error: the arguments of %s cannot be read: %s" % (name, error)
        own = len(self.tools) == 1 and name == "step"
        try:
            shown = await env.step(given if own else {"type": "call_tool", "tool_name": name, "arguments": given})
        except RuntimeError as error:
            if "VALIDATION_ERROR" in str(error):
                return quiet(before), "Error: the environment refuses these arguments"
            raise
        return shown, seen(shown.observation) or "(nothing)"

    async def replay(self, split, item, given):
        return await replayed(self, split, item, given)


async def closed(env):
    try:
        await env.close()
    except Exception:
        pass


def quiet(shown):
    """The state of an episode after a call that did not reach it."""
    from types import SimpleNamespace

    return SimpleNamespace(observation={}, reward=None, done=shown.done)


def openenv_tool(tool):
    return {"name": tool["name"], "description": tool.get("description") or "", "parameters": tool.get("input_schema") or tool.get("inputSchema") or {"type": "object", "properties": {}}}


def seen(observation):
    """An observation as a text: what a tool returned, a single text, or all of it as JSON."""
    if not isinstance(observation, dict):
        return "" if observation is None else str(observation)
    values = {k: v for k, v in observation.items() if k not in ("metadata", "tool_name") and v not in (None, "", [], {})}
    if values.get("error"):
        error = values["error"]
        return "Error: " + (error.get("message") or json.dumps(error) if isinstance(error, dict) else str(error))
    if "tool_name" in observation and "result" in values:
        result = values["result"]
        if isinstance(result, dict):
            texts = [c.get("text") for c in result.get("content") or [] if isinstance(c, dict) and c.get("type") == "text"]
            result = "\n".join(texts) if texts else result.get("data", result)
        return result if isinstance(result, str) else json.dumps(result)
    if len(values) == 1 and isinstance(next(iter(values.values())), str):
        return next(iter(values.values()))
    return json.dumps(values) if values else ""


class Talk:
    """A conversation with the model, by Chat Completions or Responses."""

    def __init__(self, model, messages, tools, sampling):
        self.model, self.messages, self.tools, self.sampling = model, messages, tools or [], sampling

    def add(self, message):
        self.messages.append(message)

    async def reply(self):
        return await asyncio.get_running_loop().run_in_executor(None, self.ask)

    def ask(self):
        chat = self.model["api"] != "responses"
        body = dict({k: v for k, v in self.sampling.items() if k != "reasoning_effort"}, model=self.model["name"])
        effort = self.sampling.get("reasoning_effort")
        if effort:
            body.update({"reasoning_effort": effort} if chat else {"reasoning": {"effort": effort}})
        if not chat and "max_completion_tokens" in body:
            body["max_output_tokens"] = body.pop("max_completion_tokens")
        if chat:
            body["messages"] = self.messages
            if self.tools:
                body["tools"] = [{"type": "function", "function": t} for t in self.tools]
        else:
            body["input"] = [i for m in self.messages for i in m.get("items") or [response_item(m)]]
            if self.tools:
                body["tools"] = [dict(t, type="function", strict=False) for t in self.tools]
        request = urllib.request.Request(
            self.model["base_url"].rstrip("/") + ("/chat/completions" if chat else "/responses"), json.dumps(body).encode(),
            {"Authorization": "Bearer " + self.model["api_key"], "Content-Type": "application/json"},
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request) as answer:
                said = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Failed("model", "the model answered with status %d: %s" % (error.code, short(error.read().decode("utf-8", "replace")))) from None
        except (OSError, ValueError) as error:
            raise Failed("model", "the model did not answer: %s" % described(error)) from None
        try:
            if chat:
                message = said["choices"][0]["message"]
                self.messages.append({k: v for k, v in message.items() if k in ("role", "content", "tool_calls") and v is not None})
                return {"content": message.get("content") or "", "calls": list(calls_of(message))}
            self.messages.append({"role": "assistant", "items": said["output"]})
            calls = [(i["call_id"], i["name"], i["arguments"]) for i in said["output"] if i["type"] == "function_call"]
            texts = [c["text"] for i in said["output"] if i["type"] == "message" for c in i["content"] if c["type"] == "output_text"]
            return {"content": "".join(texts), "calls": calls}
        except (KeyError, IndexError, TypeError) as error:
            raise Failed("model", "the model's answer cannot be read: %s" % described(error)) from None


def response_item(message):
    if message["role"] == "tool":
        return {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
    return {"role": message["role"], "content": message["content"]}
