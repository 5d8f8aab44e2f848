# Reward functions of TRL: (prompts, completions, **columns) -> list of floats.
# They are handed one completion at a time. As GRPOTrainer does, None says that a
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

    def grade(given):
        row = given["item"]
        prompt = prompt_of(row)
        columns = {k: [v] for k, v in row.items() if k not in ("prompt", "completion", "completion_ids")}
        columns.update(trainer_state=TrainerState(), log_extra=ignore, log_metric=ignore)
        if standard or options["format"] == "" and isinstance(prompt, str):
            columns.update(prompts=[text_of(prompt)], completions=[given["text"]])
        else:
            if isinstance(prompt, str):
                prompt = [{"role": "user", "content": prompt}]
            columns.update(prompts=[prompt], completions=[given["completion"]])
        scores = {}
        for name, f in functions:
            x = one(call(name, f, columns, "column of the row"), name)
            if x is not None:
                scores[name] = number(x, name)
        return weighed(scores, weights)

    return graded(grade)


def one(result, name):
    """The only element of what a function returned."""
    if isinstance(result, (str, bytes, dict)) or not hasattr(result, "__len__") or not hasattr(result, "__getitem__"):
        raise NoGrade("%s returned a %s: it must return a list with one float for each completion" % (name, type(result).__name__))
    if len(result) != 1:
        raise NoGrade("%s returned %d rewards for 1 completion" % (name, len(result)))
    return result[0]
