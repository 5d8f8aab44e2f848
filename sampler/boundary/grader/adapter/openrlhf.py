# Reward functions of OpenRLHF: reward_func(queries, prompts, labels) -> {"rewards",
# "scores", "extra_logs"}. OpenRLHF calls them with one output at a time, too.
# (OpenRLHF/OpenRLHF 0.11.2, openrlhf/utils/agent.py, SingleTurnAgentExecutor.)
def adapt(space, options):
    ((name, f),) = named(space, options["functions"])
    why = unfit(f, [], [], [])
    if why:
        raise Unfit("%s cannot be called as OpenRLHF calls it, with queries, prompts and labels: %s" % (name, why))

    def grade(given):
        row = given["item"]
        prompt = prompt_of(row)
        if not isinstance(prompt, str):
            prompt = text_of(prompt) + "\n"
        label = row.get(options["label_key"]) if options["label_key"] else reference(row, ["label"] + options["references"])
        result = finish(f([prompt + given["text"]], [prompt], [label]))
        if not isinstance(result, dict):  # as older versions have it
            return {"reward": one(result, name), "parts": {}}
        if result.get("rewards") is None:
            raise NoGrade("%s returned no rewards; there are %s" % (name, ", ".join(sorted(map(str, result))) or "no keys"))
        logs = {k: head(v) for k, v in (result.get("extra_logs") or {}).items()}
        return {"reward": one(result["rewards"], name), "parts": figures(logs), "said": said(result, "rewards", "scores", "extra_logs")}

    return graded(grade)


def head(value):
    """The first element of a list or tensor of any depth."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return value


def one(value, name):
    """The reward of one query: a number, or a list or tensor of one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)) and len(value) != 1:
        raise NoGrade("%s returned %d rewards for 1 query" % (name, len(value)))
    return number(head(value), name)
