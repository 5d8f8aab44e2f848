KEY = "GONOGO_RELAY_API_KEY"


class Verifiers:
    """An environment of verifiers 0.4: its own harness makes the rollout against the model that it is handed."""

    def __init__(self, told, stack):
        self.told, self.stack = told, stack
        self.envs, self.tasks, self.served, self.lock, self.relay, self.range = {}, {}, [], asyncio.Lock(), Relay(), None
        version = installed("verifiers", "0.4")
        self.ident = place(told["name"])
        self.vf = importlib.import_module("verifiers.v1")
        self.loaders = importlib.import_module("verifiers.v1.utils.loaders")
        self.sampling = self.vf.SamplingConfig(**told.get("sampling") or {})
        self.about = "verifiers %s" % version

    async def start(self):
        try:
            self.about += sources(self.loaders.import_taskset(self.ident).__name__)
        except ModuleNotFoundError as error:
            raise Refused("%s is no taskset that %s can import: %s" % (self.told["name"], sys.executable, short(error))) from None
        for split in self.told["splits"]:
            if getattr(type(self.configured(split).taskset), "INFINITE", False) and not self.told.get("limit"):
                raise Refused("%s makes tasks without end: say how many to take (environment.limit)" % self.told["name"])
        os.environ[KEY] = "unused"  # the relay puts that of the rollout in its place
        await self.relay.start()
        self.range = self.weighed([t for split in self.told["splits"] for t in self.listed(split).values()])

    def configured(self, split):
        """The environment of a split."""
        if split not in self.envs:
            args = merged(self.told.get("args") or {}, self.told["splits"][split] or {})
            args["taskset"] = dict(args.get("taskset") or {}, id=self.ident)
            kind = self.loaders.env_config_type(self.ident, args.get("id") or "")
            seats = [n for n, f in kind.model_fields.items() if isinstance(f.default, self.vf.AgentConfig)]
            for name in seats:
                seat = args[name] = dict(args.get(name) or {})
                if "runtime" not in seat and "runtime" not in kind.model_fields[name].default.model_fields_set:
                    seat["runtime"] = {"type": "subprocess"}
                harness = "harness" in seat or kind.model_fields[name].default.harness is not None
                if not harness and self.loaders.default_harness_id(self.ident) == "bash":
                    seat["harness"] = {"id": "null"}  # bash would run the model's commands on this machine
                    if shutil.which("uv") is None:
                        raise Refused("verifiers starts its harness null by uv, which is not on PATH: pip install uv, or name "
                                      "another harness in environment.args")
            try:
                self.envs[split] = self.loaders.load_environment(self.loaders.resolve_env_config(args))
            except Exception as error:
                if type(error).__name__ == "ValidationError":
                    raise Refused("environment.args: %s" % short(error)) from None
                raise
        return self.envs[split]

    def listed(self, split):
        """The tasks of a split by id. An id is that of the data, else its name, else its place."""
        if split not in self.tasks:
            env, most = self.configured(split), self.told.get("limit") or 0
            tasks = []
            for task in env.taskset:
                tasks.append(task)
                if most and len(tasks) >= most:
                    break
            if not tasks:
                raise Refused("the %s split of %s has no tasks" % (split, self.told["name"]))
            for field in ("id", "name"):
                ids = ["" if x is None else str(x) for x in (getattr(t.data, field, None) for t in tasks)]
                if all(ids) and len(set(ids)) == len(ids):
                    break
            else:
                ids = ["%d" % n for n in range(len(tasks))]
            self.tasks[split] = dict(zip(ids, tasks))
        return self.tasks[split]

    async def items(self, split):
        rows = []
        for ident, task in self.listed(split).items():
            data = task.data.model_dump(mode="json", exclude_none=True)
            messages = []
            if data.get("system_prompt"):
                messages.append({"role": "system", "content": data["system_prompt"]})
            prompt = data.get("prompt")
            if isinstance(prompt, str):
                messages.append({"role": "user", "content": prompt})
            elif prompt:
                messages += [chat(m) for m in prompt]
            if not any(m["role"] == "user" for m in messages):
                messages.append({"role": "user", "content": data.get("name") or data.get("description") or "task %s" % ident})
            own = {k: v for k, v in data.items() if k not in set(self.vf.TaskData.model_fields) | {"messages", "tools", "id"}}
            rows.append(dict(own, id=ident, messages=messages))
        return rows

    def weighed(self, tasks):
        """The range of all tasks' rewards if each function gives 0 to 1; None if it has none."""
        low = high = 0.0
        own = {type(t): [getattr(f, "_vf_weight", 1.0) for f in t.hooks("reward")] for t in tasks}
        for kind, judges in {(type(t), tuple(j.config.weight for j in t.plugged_judges())) for t in tasks}:
            weights = own[kind] + list(judges)
            low, high = min(low, sum(w for w in weights if w < 0)), max(high, sum(w for w in weights if w > 0))
        return [low, high] if low < high else None

    async def play(self, split, item, model, limits):
        env, task = self.configured(split), self.listed(split).get(item)
        if task is None:
            raise Failed("agent", "the environment has no item %s any longer" % item)
        async with self.lock:
            if env not in self.served:
                await self.stack.enter_async_context(env.serving())
                self.served.append(env)
        with self.relay.address(model) as (address, lost):
            client = self.vf.EvalClientConfig(base_url=address, api_key_var=KEY)
            episode = await env.run_episode(task, self.vf.ModelContext(model=model["name"], client=client, sampling=self.sampling))
        if lost:
            raise Failed("model", lost[-1])
        return await self.result(episode)

    async def result(self, episode):
        traces = [t for t in episode.traces if t.agent.trainable] or list(episode.traces)
        if not traces:
            raise Failed("agent", self.why(episode.last_error))
        trace = traces[-1]
        output = trace.last_reply
        if not output.strip():
            calls = [c for m in trace.assistant_messages for c in m.tool_calls or []]
            output = "%s(%s)" % (calls[-1].name, calls[-1].arguments) if calls else ""
        error = next((t.last_error for t in traces if not t.ok and t.errors), None) or (None if episode.ok else episode.last_error)
        if error is not None and not episode.ok:
            stopped = trace.stop_condition or ""
            if error.type == "TaskError" and not stopped.endswith("_error") and not trace.is_timeout:
                return {"output": output, "grade": {"error": self.why(error), "kind": "reported_error"}}
            raise Failed({"ProviderError": "model", "ToolsetError": "tool", "SandboxError": "tool"}.get(error.type, "agent"), self.why(error))
        limit = trace.stop_condition if (trace.stop_condition or "").startswith("max_") else ""
        return {"output": output, "limit": limit, "grade": await graded(lambda: self.reward(traces))}

    def why(self, error):
        return "verifiers reports %s: %s" % (error.type, short(error.message)) if error else "verifiers ran no agent"

    def reward(self, traces):
        parts, total = {}, 0.0
        for trace in traces:
            name = (lambda k: k) if len(traces) == 1 else (lambda k: "%s %s" % (trace.agent.name, k))
            missing = sorted(k for k, v in trace.rewards.items() if v is None)
            if missing or not trace.rewards:
                raise NoGrade("no reward of %s" % (", ".join(missing) or trace.task.type))
            for key, reward in trace.rewards.items():
                parts[name(key)] = number(reward.score, key)
            for key, value in trace.metrics.items():
                if value is not None and math.isfinite(value):
                    parts.setdefault(name(key), float(value))
            total += number(trace.reward, trace.task.type)
        return {"reward": total / len(traces), "parts": parts if len(parts) > 1 else {}}

    async def replay(self, split, item, given):
        return await replayed(self, split, item, given)


def chat(message):
    """A message of verifiers as Chat Completions has it."""
    out = {k: v for k, v in message.items() if v is not None and k in ("role", "content", "tool_call_id", "name")}
    if message.get("tool_calls"):
        out["tool_calls"] = [{"id": c.get("id") or "", "type": "function", "function": {"name": c["name"], "arguments": c.get("arguments") or "{}"}} for c in message["tool_calls"]]
    return out


def merged(one, other):
    """A copy of one with the values of other, at every depth."""
    out = dict(one)
    for key, value in other.items():
        out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out
