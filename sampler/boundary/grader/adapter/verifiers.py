# Reward functions of verifiers, which ask for what they want by name, its Rubric
# (PrimeIntellect-ai/verifiers, verifiers/rubrics/rubric.py), and from version 0.4 on
# the Task whose methods are rewards (verifiers/v1/task.py).
import importlib
import json
import logging
import sys

GROUP = {"prompts", "completions", "answers", "states", "tasks", "infos"}


class Parser:
    """What a function that wants a parser is handed where the source has none:
    the last message's text."""

    def parse(self, text):
        return text

    def parse_answer(self, completion):
        if isinstance(completion, str):
            return completion
        for m in reversed(completion):
            if m.get("role") == "assistant":
                return m.get("content")
        return None


class Errors(logging.Handler):
    """Keeps what verifiers logs as errors: it takes an exception of a reward
    function for a 0."""

    def __init__(self):
        logging.Handler.__init__(self, logging.ERROR)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


class Nobody:
    """A semaphore that nobody waits for."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return False


def adapt(space, options):
    if options["group"] and (options["rubric"] or options["task"]):
        raise Unfit("group is for functions: name those of the Rubric or Task under functions")
    if options["rubric"]:
        return graded(by_rubric(rubric_of(space, options["rubric"])))
    if options["task"]:
        return graded(by_task(task_of(space, options["task"])))
    functions = named(space, options["functions"])
    weights = dict(zip([name for name, _ in functions], options["weights"] or [1.0] * len(functions)))
    for name, f in functions:
        takes = parameters(f)[0]
        if "self" in takes and takes & {"trace", "runtime"}:
            raise Unfit("%s takes %s: it is a method of a Task, whose name goes under task" % (name, ", ".join(sorted(takes))))
        takes &= GROUP
        if takes and not options["group"]:
            raise Unfit("%s takes %s: it compares a group of rollouts, whose size goes under group" % (name, ", ".join(sorted(takes))))
    parser = getattr(space, "parser", None)
    if parser is None:
        vf = sys.modules.get("verifiers")
        parser = vf.Parser() if vf is not None and hasattr(vf, "Parser") else Parser()

    def score(name, f, batch, place):
        if parameters(f)[0] & GROUP:
            states = [state_of(g) for g in batch]
            values = {k + "s": [s[k] for s in states] for k in ("prompt", "completion", "answer", "info", "task")}
            return number(nth(call(name, f, dict(values, states=states, parser=parser), "argument"), name, len(batch), place), name)
        item, state = batch[place]["item"], state_of(batch[place])
        values = {k: v for k, v in item.items() if k not in ("messages", "tools", "example_id")}
        values.update({k: state[k] for k in ("prompt", "completion", "answer", "info", "task")}, state=state, parser=parser)
        return number(call(name, f, values, "argument"), name)

    def grade(given):
        batch, place = together(given)
        return weighed({name: score(name, f, batch, place) for name, f in functions}, weights)

    return graded(grade)


def state_of(given):
    """The state of a rollout that has ended."""
    row = given["item"]
    prompt, info = prompt_of(row), row.get("info", {})
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except ValueError:
            pass
    completion = given["text"] if isinstance(prompt, str) else given["completion"]
    about = {"prompt": prompt, "answer": row.get("answer", ""), "info": info, "task": row.get("task", "default"), "example_id": row.get("example_id", 0)}
    turns = [m for m in given["completion"] if m.get("role") == "assistant"]
    return dict(
        about, input=dict(row, **about), completion=completion, responses=[], turn=len(turns), trajectory=[], trajectory_id=given["trace_id"],
        is_completed=True, is_truncated=False, stop_condition=None, error=None, reward=None, advantage=None, metrics=None,
        timing={"start_time": 0.0, "generation_ms": 0.0, "scoring_ms": 0.0, "total_ms": 0.0},
    )  # fmt: skip


def rubric_of(space, name):
    """The Rubric of that name: it, an environment's, or what a function makes."""
    found = getattr(space, name, None)
    if found is None:
        raise Unfit("it defines no %s" % name)
    if not hasattr(found, "score_rollout") and callable(found):
        found = finish(found())
    if not hasattr(found, "score_rollout"):
        found = getattr(found, "rubric", found)
    if not hasattr(found, "score_rollout"):
        raise Unfit("%s is a %s: it must be a Rubric, an environment, or a function that makes one" % (name, type(found).__name__))
    return found


def by_rubric(rubric):
    """Has a Rubric score. Older ones are called with each value by name and
    return a score; later ones write it into the state."""

    def grade(given):
        state = state_of(given)
        values = {k: state[k] for k in ("prompt", "completion", "answer", "info", "task")}
        values.update(state=state, score_sem=Nobody())
        takes = parameters(rubric.score_rollout)[0]
        heard, logger = Errors(), logging.getLogger("verifiers")
        logger.addHandler(heard)
        try:
            score = finish(rubric.score_rollout(**{k: v for k, v in values.items() if k in takes}))
        finally:
            logger.removeHandler(heard)
        if heard.said:
            raise NoGrade("the rubric logged an error: " + heard.said[0][:500], "reported_error")
        if state["error"] is not None:
            raise NoGrade("the rubric reports an error: %.500s" % state["error"], "reported_error")
        if score is None or state["reward"] is not None:
            reward, metrics = state["reward"], state["metrics"]
        else:
            read = score.get if isinstance(score, dict) else lambda k: getattr(score, k, None)
            reward, metrics = read("reward"), read("metrics")
        parts = {name: number(x, name) for name, x in (metrics or {}).items()}
        return {"reward": number(reward, "the rubric"), "parts": parts if len(parts) > 1 else {}}

    return grade


def task_of(space, name):
    """The Task of that name, which can be scored without the rollout's runtime."""
    found = getattr(space, name, None)
    if found is None:
        raise Unfit("it defines no %s" % name)
    if not isinstance(found, type) or not all(hasattr(found, k) for k in ("score", "data_type", "hooks")):
        raise Unfit("%s is a %s: it must be a Task of verifiers" % (name, found.__name__ if isinstance(found, type) else type(found).__name__))
    rewards = 0
    for method in {k for c in found.__mro__ for k in vars(c)}:
        f = getattr(found, method, None)
        if not hasattr(f, "reward") and not hasattr(f, "metric"):
            continue
        rewards += hasattr(f, "reward")
        if "runtime" in parameters(f)[1]:
            raise Unfit("%s of %s takes the runtime of the rollout, which is gone when it is graded: give it a default if it can do without" % (method, name))
    if not rewards:
        raise Unfit("%s has no method under @vf.reward" % name)
    return found


def by_task(kind):
    """Has a Task score a trace of the rollout's messages, as its evaluation does when
    the runtime is gone."""
    vf = importlib.import_module("verifiers.v1")

    def grade(given):
        row = given["item"]
        data = row["task"] if isinstance(row.get("task"), dict) else {k: v for k, v in row.items() if k not in ("messages", "tools")}
        task = kind(kind.data_type().model_validate(dict({"prompt": prompt_of(row)}, **data)))
        nodes = []
        for sampled, messages in ((False, row.get("messages") or []), (True, given["completion"])):
            for m in messages:
                nodes.append(
                    vf.MessageNode(parent=len(nodes) - 1 if nodes else None, message=message_of(m), sampled=sampled and m.get("role") == "assistant")
                )
        trace = vf.Trace(
            task=vf.TraceTask(type=kind.__name__, data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig()), nodes=nodes, is_completed=True, ok=True,
            stop_condition="agent_completed",
        )  # fmt: skip
        finish(task.score(trace))
        missing = sorted(k for k, v in trace.rewards.items() if v is None)
        if missing or not trace.rewards:
            raise NoGrade("no reward of %s" % (", ".join(missing) or kind.__name__))
        parts = {k: number(r.score, k) for k, r in trace.rewards.items()}
        parts.update({k: number(v, k) for k, v in trace.metrics.items() if v is not None})
        return {"reward": number(trace.reward, kind.__name__), "parts": parts if len(parts) > 1 else {}}

    return grade


def message_of(m):
    """A message as verifiers keeps it: a tool call has its name and arguments at its
    top."""
    m = {k: v for k, v in m.items() if v is not None}
    if m.get("tool_calls"):
        m["tool_calls"] = [dict(id=c.get("id") or "", **(c.get("function") or {k: c[k] for k in ("name", "arguments")})) for c in m["tool_calls"]]
    return m
