# Reward functions of TRL: (prompts, completions, **columns) -> list of floats.
# They are handed one completion at a time, and refused where that gives other
# rewards than a batch does. As GRPOTrainer does, None says that a
# function is not for this row, and what is there is summed up by weight.
# (huggingface/trl, trl/trainer/grpo_trainer.py, _calculate_rewards.)
UNKNOWN = {"completion_ids": "token ids", "completions_ids": "token ids", "environments": "the trainer's environments"}


class TrainerState:
    """The trainer before its first step, where a run is judged."""

    def __init__(self):
        self.global_step = self.max_steps = self.num_train_epochs = self.num_input_tokens_seen = 0
        self.epoch, self.total_flos = 0.0, 0.0
        self.log_history = []
        self.best_metric = None


def ignore(*args, **kwargs):
    """Takes what a function logs."""


def adapt(space, options):
    functions = named(space, options["functions"])
    weights = dict(zip([name for name, _ in functions], options["weights"] or [1.0] * len(functions)))
    for name, f in functions:
        for lacks in sorted(parameters(f)[1] & set(UNKNOWN)):
            raise Unfit("%s wants %s: %s are not known here" % (name, lacks, UNKNOWN[lacks]))
    standard = options["format"] == "standard"

    def scored(batch):
        """The rewards of each function for the first of a batch, as TRL hands them."""
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
            x = first(call(name, f, columns, "column of the row"), name, len(batch))
            if x is not None:
                scores[name] = number(x, name)
        return scores

    def grade(given):
        scores = scored([given])
        if "beside" in given:
            alone(scored, scores, given)
        return weighed(scores, weights)

    return graded(grade)


def alone(scored, scores, given):
    """Refuses functions whose reward for a completion depends on the others of its
    batch. It comes a second time, and others beside it: what counts, ranks or
    normalizes gives something else then. One that differs from call to call by
    itself shows nothing."""
    try:
        beside = scored([given, given] + given["beside"])
    except Exception:  # others may lack what its own row has
        return
    for name in scores:
        x, y = scores[name], beside.get(name)
        if (y is None or abs(x - y) > 1e-9 * max(1.0, abs(x), abs(y))) and scored([given]) == scores:
            raise NoGrade("%s gives a completion %g alone and %s in a batch with others: it compares completions with each other, and here each is graded by itself; have it look at one completion at a time" % (name, x, "None" if y is None else "%g" % y), "depends_on_batch")


def first(result, name, n):
    """The first element of what a function returned for n completions."""
    if isinstance(result, (str, bytes, dict)) or not hasattr(result, "__len__") or not hasattr(result, "__getitem__"):
        raise NoGrade("%s returned a %s: it must return a list with one float for each completion" % (name, type(result).__name__))
    if len(result) != n:
        raise NoGrade("%s returned %d rewards for %d completion%s" % (name, len(result), n, "s" if n > 1 else ""))
    return result[0]
