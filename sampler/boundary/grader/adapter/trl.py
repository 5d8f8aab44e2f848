# Reward functions of TRL: (prompts, completions, **columns) -> list of floats.
# They are handed one completion at a time, and refused where that gives other
# rewards than a batch does, or the completions of a group. As GRPOTrainer does, None says that a
# function is not for this row, and what is there is summed up by weight.
# (huggingface/trl, trl/trainer/grpo_trainer.py, _calculate_rewards.)
UNKNOWN = {"completion_ids": "token ids", "completions_ids": "token ids", "environments": "the trainer's environments"}


def ignore(*args, **kwargs):
    """Takes what a function logs."""


def adapt(space, options):
    functions = named(space, options["functions"])
    weights = dict(zip([name for name, _ in functions], options["weights"] or [1.0] * len(functions)))
    for name, f in functions:
        for lacks in sorted(parameters(f)[1] & set(UNKNOWN)):
            raise Unfit("%s wants %s: %s are not known here" % (name, lacks, UNKNOWN[lacks]))
    standard = options["format"] == "standard"

    def scored(batch, place=0):
        """The rewards of each function for one of a batch, as TRL hands them."""
        prompts = [prompt_of(g["item"]) for g in batch]
        names = {k for g in batch for k in g["item"] if k not in ("prompt", "completion", "completion_ids")}
        columns = {k: [g["item"].get(k) for g in batch] for k in names}
        columns.update(trainer_state=TrainerState(), log_extra=ignore, log_metric=ignore)
        if standard or options["format"] == "" and isinstance(prompts[0], str):
            columns.update(prompts=[text_of(p) for p in prompts], completions=[g["text"] for g in batch])
        else:
            prompts = [[{"role": "user", "content": p}] if isinstance(p, str) else p for p in prompts]
            columns.update(prompts=prompts, completions=[g["completion"] for g in batch])
        scores = {}
        for name, f in functions:
            x = nth(call(name, f, columns, "column of the row"), name, len(batch), place)
            if x is not None:
                scores[name] = number(x, name)
        return scores

    def grade(given):
        scores = scored(*together(given))
        if "beside" in given:
            alone(scored, scores, given)
        return weighed(scores, weights)

    return graded(grade)
