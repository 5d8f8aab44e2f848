# Reward functions of verl: compute_score(data_source, solution_str, ground_truth,
# extra_info) -> a number, or a dict with score. The batch manager passes lists, data_sources
# and so on, and gets a list. (verl-project/verl 0.9.1,
# verl/experimental/reward_loop/reward_manager/naive.py, verl/workers/reward_manager/batch.py,
# and get_custom_reward_fn of verl/trainer/ppo/reward.py.)
FIELDS = ("data_source", "solution_str", "ground_truth", "extra_info")


def adapt(space, options):
    ((name, f),) = named(space, options["functions"])
    more = options["reward_kwargs"] or {}
    batched = "solution_strs" in parameters(f)[0]
    keys = [k + "s" for k in FIELDS] if batched else FIELDS
    why = unfit(f, **dict(dict.fromkeys(keys), **more))
    if why:
        raise Unfit("%s cannot be called as verl calls it, with %s: %s; other arguments go under reward_kwargs" % (name, ", ".join(keys), why))

    if options["group"] and not batched:
        raise Unfit("%s takes one output: group is for the batch form, which takes solution_strs" % name)

    def scored(batch, place=0):
        """The reward of one of a batch, and what the function says of it."""
        asked = [arguments(g, options["references"]) for g in batch]
        if not batched:
            return read(name, finish(f(**dict(asked[0], **more))))
        lists = {k + "s": [a[k] for a in asked] for k in FIELDS}
        return read(name, nth(finish(f(**dict(lists, **more))), name, len(batch), place))

    def grade(given):
        out = scored(*together(given))
        if batched and "beside" in given:
            alone(lambda batch: {name: scored(batch)["reward"]}, {name: out["reward"]}, given)
        return out

    return graded(grade)


def arguments(given, references):
    """What a manager passes for one output. Rows that verl has not prepared have their
    reference for the truth."""
    row = given["item"]
    model = row.get("reward_model")
    truth = model.get("ground_truth") if isinstance(model, dict) else None
    extra = row.get("extra_info") or {}
    if not isinstance(extra, dict):
        raise NoGrade("extra_info of the row is a %s: verl needs an object" % type(extra).__name__, "invalid_variable_error")
    extra = dict(extra, num_turns=turns(given["completion"]), rollout_reward_scores={})
    return {
        "data_source": row.get("data_source", ""), "solution_str": given["text"],
        "ground_truth": reference(row, references) if truth is None else truth, "extra_info": extra,
    }  # fmt: skip


def turns(completion):
    """verl's count of turns: the prompt, the model's, and one for the results of each of them."""
    roles = [m.get("role") for m in completion]
    return 1 + sum(role == "assistant" or before == "assistant" for before, role in zip([None] + roles, roles))


def read(name, result):
    """The score, and the other numbers of a dict as parts."""
    if not isinstance(result, dict):
        return {"reward": number(result, name), "parts": {}}
    if "score" not in result:
        raise NoGrade("%s returned no score; there are %s" % (name, ", ".join(sorted(map(str, result))) or "no keys"))
    return {"reward": number(result["score"], name), "parts": figures(result, "score"), "said": said(result, "score")}
