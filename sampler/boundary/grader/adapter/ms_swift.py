# Reward functions of ms-swift: a class, registered in orms or not, that is made with
# args=ARGUMENTS and called as (completions, **columns) -> list of floats; or a function. Its
# trainer skips None, and sums what is there by weight. (modelscope/ms-swift 4.6.0,
# swift/rewards/orm.py, swift/rl_core/grpo_algorithm.py, and to_reward_row of swift/rl_core/data.py.)
class Arguments:
    """The trainer's arguments, as far as the grader names them."""

    def __init__(self, values):
        self.__dict__.update(values)

    def __getattr__(self, key):
        raise AttributeError("the trainer's %s is not known here: set it under args" % key)


def adapt(space, options):
    functions = [(name, made(name, f, options["args"] or {})) for name, f in rewards(space, options["functions"])]
    weights = dict(zip([name for name, _ in functions], options["weights"] or [1.0] * len(functions)))
    for name, f in functions:
        if "response_token_ids" in parameters(f)[1]:
            raise Unfit("%s wants response_token_ids: token ids are not known here" % name)

    def scored(batch, place=0):
        """The rewards of each function for one of a batch."""
        completions = [g["text"] for g in batch]
        rows = [row_of(g) for g in batch]
        columns = {k: [row.get(k) for row in rows] for k in {k for row in rows for k in row}}
        scores = {}
        for name, f in functions:
            why = unfit(f, completions, trainer_state=TrainerState(), **columns)
            if why:
                known = ", ".join(sorted(columns))
                raise NoGrade("%s cannot be called with the completions and the row's columns, which are %s: %s" % (name, known, why), "invalid_variable_error")
            x = nth(finish(f(completions, trainer_state=TrainerState(), **columns)), name, len(batch), place)
            if x is not None:
                scores[name] = number(x, name)
        return scores

    def grade(given):
        scores = scored(*together(given))
        if "beside" in given:
            alone(scored, scores, given)
        return weighed(scores, weights)

    return graded(grade)


def rewards(space, names):
    """The classes and functions of these names, of orms first, or the only one of the source."""
    own = {k: v for k, v in vars(space).items() if getattr(v, "__module__", None) == space.__name__ and not k.startswith("_")}
    own = [k for k, v in own.items() if inspect.isfunction(v) or inspect.isclass(v) and "__call__" in vars(v)]
    if not names and len(own) != 1:
        raise Unfit("functions is missing: name those to be called; it defines %s" % (", ".join(own) or "none"))
    registered = getattr(space, "orms", None)
    registered = registered if isinstance(registered, dict) else {}
    return [(name, registered[name]) if name in registered else named(space, [name])[0] for name in names or own]


def made(name, f, values):
    """An instance of a class; else what is called itself."""
    if not inspect.isclass(f):
        return f
    args = {} if unfit(f, args=None) else {"args": Arguments(values)}
    try:
        f = f(**args)
    except (AttributeError, TypeError) as e:
        raise Unfit("%s cannot be made: %s" % (name, e)) from None
    if not callable(f):
        raise Unfit("%s has no __call__" % name)
    return f


def row_of(given):
    """A row as the trainer passes it: its fields, and what is known of the rollout."""
    row = {k: v for k, v in given["item"].items() if k not in ("prompt", "messages", "response_token_ids")}
    prompt = prompt_of(given["item"])
    if isinstance(prompt, str):
        prompt = [{"role": "user", "content": prompt}]
    about = dict(messages=list(prompt) + given["completion"], prompt_id=str(row.get("id", "")), request_id=given["trace_id"])
    about.update(finish_reason=given["finish_reason"], is_truncated=given["finish_reason"] == "length", rollout_infos={})
    return dict(about, **row)
