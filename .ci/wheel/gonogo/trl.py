"""Asks gonogo after the first steps of a training with TRL whether it should go on."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from transformers import TrainerCallback

from . import GonogoError, pilot

if TYPE_CHECKING:
    from .types import Pilot

log = logging.getLogger("gonogo")


class PilotCallback(TrainerCallback):
    """Compares the completions that the trainer logs with a base run, after the steps `looks`.

    They come later where a step has few rollouts: the first answer says when, and the next question is then.
    The trainer needs `log_completions=True` and `logging_steps=1`: its files are what the pilot reads. At NO-GO the
    training stops, unless `stop` is False; at GO nothing more is asked. `checkpoint`, if given, returns the address of
    a server of the weights after a step, or None where there is none. `on_answer` gets every answer. A pilot that
    cannot answer is logged and stops nothing.
    """

    def __init__(
        self, run: str | os.PathLike[str], *, looks: Sequence[int] = (10, 20, 40), stop: bool = True,
        checkpoint: Callable[[int], str | None] | None = None, on_answer: Callable[[Pilot], None] | None = None,
        args: Sequence[str] = (),
    ) -> None:  # fmt: skip
        if not looks:
            raise ValueError("looks names no step")
        self.run, self.looks, self.stop, self.args = run, sorted(looks), stop, list(args)
        self.checkpoint, self.on_answer = checkpoint, on_answer
        self.next, self.answers = self.looks[0], []

    def on_train_begin(self, args, state, control, **kwargs):
        if not getattr(args, "log_completions", False) or args.logging_steps != 1 or args.logging_strategy != "steps":
            raise ValueError("PilotCallback reads the trainer's completions: set log_completions=True and logging_steps=1")

    def on_step_begin(self, args, state, control, **kwargs):
        # A step's completions are written after its on_step_end and on_log.
        self._ask(args, state, control)

    def on_train_end(self, args, state, control, **kwargs):
        self._ask(args, state, control)

    def _ask(self, args, state, control):
        if self.next is None or state.global_step < self.next:
            return
        box = [(None, None)]
        try:
            if state.is_world_process_zero:
                box = [self._answer(args, state.global_step)]
        finally:  # or the other processes wait for ever
            _share(box)
        verdict, self.next = box[0]
        if verdict == "NO-GO" and self.stop:
            control.should_training_stop = True

    def _answer(self, args, step):
        at = self.checkpoint(step) if self.checkpoint else None
        try:
            answer = pilot(
                self.run, os.path.join(args.output_dir, "completions"), looks=self.looks, checkpoint=at, at=step, args=self.args
            )
        except (GonogoError, OSError, ValueError) as err:
            log.warning("no pilot after step %d: %s", step, err)
            return None, _after(self.looks, step)
        self.answers.append(answer)
        verdict = answer["verdict"]["answer"]
        log.warning("pilot after step %d: %s", step, verdict)
        if self.on_answer:
            self.on_answer(answer)
        return verdict, answer["next_look"] if verdict == "UNDECIDED" else None


def _after(looks, step):
    """Returns the first of the looks after a step, None after the last."""
    return next((look for look in looks if look > step), None)


def _share(box):
    """Gives all processes what the first one has."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        dist.broadcast_object_list(box, src=0)
