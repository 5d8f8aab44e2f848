# Evaluation tests of eval-protocol: a function that is handed an EvaluationRow
# and gives it back with its evaluation_result. (eval-protocol/python-sdk,
# eval_protocol/models.py and eval_protocol/pytest/dual_mode_wrapper.py.)
import sys


class Plain(dict):
    """A dict whose keys are attributes as well: the row and its messages, where
    the source does without the package."""

    def __getattr__(self, key):
        return self.get(key)

    def __setattr__(self, key, value):
        self[key] = value

    def last_assistant_message(self):
        said = [m for m in self["messages"] if m.role == "assistant"]
        return said[-1] if said else None


def adapt(space, options):
    ((name, f),) = named(space, options["functions"])
    about = getattr(f, "_metainfo", None) or {}
    groupwise = about.get("mode") == "groupwise"
    if groupwise and not options["group"]:
        raise Unfit("%s compares the rows of a group: the size of the group goes under group" % name)
    f = getattr(f, "_origin_func", f)
    takes, needs, _ = parameters(f)
    key = "rows" if "rows" in takes else "row"
    if key not in takes:
        raise Unfit("%s has no parameter row or rows" % name)
    lacks = sorted(needs - {key} - set(options["arguments"]))
    if lacks:
        raise Unfit("%s wants %s: name their values under arguments" % (name, ", ".join(lacks)))
    adapter = named(space, [options["adapter"]])[0][1] if options["adapter"] else None
    models = sys.modules.get("eval_protocol.models")

    if options["group"] and key != "rows":
        raise Unfit("%s takes a row: group is for one that takes rows" % name)

    def grade(given):
        batch, place = together(given)
        rows = [make(models, adapter, g) for g in batch]
        row = rows[place]
        result = finish(f(**dict(options["arguments"], **{key: rows if key == "rows" else row})))
        if isinstance(result, list):
            if len(result) != len(rows):
                raise NoGrade("%s gave %d rows for %d" % (name, len(result), len(rows)))
            result = result[place]
        return read(row if result is None else result, name)

    return graded(grade)


def make(models, adapter, given):
    """The row, as the package has it where the source has imported it."""
    item = given["item"]
    if adapter is not None:
        row = finish(adapter([item]))[0]
        row.messages = list(row.messages) + [models.Message(**told(m)) if models else Plain(m) for m in given["completion"]]
        return row
    prompt = prompt_of(item)
    if isinstance(prompt, str):
        prompt = [{"role": "user", "content": prompt}]
    rest = {k: v for k, v in item.items() if k not in ("messages", "prompt", "tools", "ground_truth", "input_metadata")}
    about = {"row_id": str(item.get("id", "")) or None, "dataset_info": rest}
    about.update(item.get("input_metadata") or {})
    messages, tools, truth = list(prompt) + given["completion"], item.get("tools"), item.get("ground_truth")
    if models is None:
        return Plain(messages=[Plain(m) for m in messages], tools=tools, ground_truth=truth, input_metadata=Plain(about), evaluation_result=None)
    row = models.EvaluationRow(messages=[models.Message(**told(m)) for m in messages], tools=tools, ground_truth=truth, input_metadata=about)
    if hasattr(models, "Status") and hasattr(models.Status, "rollout_finished"):
        row.rollout_status = models.Status.rollout_finished()
    return row


def told(message):
    """A message with the keys that the package knows."""
    out = {k: message[k] for k in ("role", "content", "name", "tool_call_id", "tool_calls") if message.get(k) is not None}
    if message.get("reasoning"):
        out["reasoning_content"] = message["reasoning"]
    return out


def field(value, key):
    return value.get(key) if isinstance(value, dict) else getattr(value, key, None)


def read(result, name):
    """The score of a row's evaluation_result, of a result alone, or a number."""
    inner = field(result, "evaluation_result")
    if inner is not None:
        result = inner
    elif isinstance(result, Plain) or hasattr(result, "evaluation_result"):
        raise NoGrade("%s gave the row no evaluation_result" % name, "malformed_reply")
    elif isinstance(result, (int, float)):
        return {"reward": number(result, name), "parts": {}}
    if field(result, "is_score_valid") is False or field(result, "error"):
        why = field(result, "error") or field(result, "reason") or "no reason is given"
        raise NoGrade("%s calls its score invalid: %.500s" % (name, why), "reported_error")
    parts = {}
    for key, metric in (field(result, "metrics") or {}).items():
        if field(metric, "is_score_valid") is not False:
            parts[key] = number(field(metric, "score"), "the metric " + key)
    return {"reward": number(field(result, "score"), name), "parts": parts}
