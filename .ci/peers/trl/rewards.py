"""Reward functions as a user of TRL writes them."""


def correct(prompts, completions, answer, **kwargs):
    return [float(str(a) in c[-1]["content"]) for a, c in zip(answer, completions)]


def brief(completions, level=None, **kwargs):
    """Applies to easy rows alone."""
    return [None if l == "hard" else 1.0 / (1 + len(c[-1]["content"].split())) for c, l in zip(completions, level)]


async def polite(completions, trainer_state, log_metric=None, **kwargs):
    if log_metric is not None:
        log_metric("polite", 1.0)
    return [0.5 if "three" in c[-1]["content"] else 0.0 for c in completions]
