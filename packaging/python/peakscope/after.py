# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a program comes after its steps: evaluation, generation and saves, which may take more than the training. Which of them a run
reached is told; with PEAKSCOPE_THROUGH_EVAL it goes on to one batch of an evaluation and one save.

It goes on by ending the training as its data would: loaders that are under way give no more batches, those that begin later one, and the
Trainer of Transformers is told that its last step was the last. Then the program does what it does at the end of an epoch or of all.
"""
import functools
import os
import sys

from peakscope.imports import once_imported

WORDS = {"evaluate": "eval", "generate": "generate(", "save": "save"}  # one stands in a program that has such a part
MORE = 100  # steps, where a program goes on training


class After:
    def __init__(self, recorder):
        self.recorder = recorder
        self.wanted = os.environ.get("PEAKSCOPE_THROUGH_EVAL") == "1"
        self.begun_at = 0  # the step that was the last one asked for; 0: it isn't over
        self.evaluates = False  # a model is set to evaluate, since the steps were over
        self.reached = set()

    def attach(self, torch):
        if not hasattr(torch, "nn"):
            return
        evaluate = torch.nn.Module.eval

        @functools.wraps(evaluate)
        def evaluate_seen(module):
            if self.recorder.steps:
                self.evaluates = True
                if not self.begun_at:
                    self.reached.add("evaluate")
            return evaluate(module)

        torch.nn.Module.eval = evaluate_seen
        once_imported("transformers.generation.utils", self.see_generation)
        if self.wanted:
            once_imported("transformers.trainer_callback", self.see_trainer)

    def see_generation(self, module):
        generate = module.GenerationMixin.generate

        @functools.wraps(generate)
        def generate_seen(*args, **kwargs):
            result = generate(*args, **kwargs)
            self.reached.add("generate")
            return result

        module.GenerationMixin.generate = generate_seen

    def see_trainer(self, module):
        step_end = module.DefaultFlowCallback.on_step_end

        @functools.wraps(step_end)
        def step_end_seen(callback, args, state, control, **kwargs):
            if self.begun_at:
                state.max_steps = state.global_step
            return step_end(callback, args, state, control, **kwargs)

        module.DefaultFlowCallback.on_step_end = step_end_seen

    def goes_on(self):
        """The steps are over: whether the program goes on all the same."""
        if not self.wanted:
            return False
        if not self.begun_at:
            self.begun_at, self.evaluates = self.recorder.steps, False
            self.reached -= {"evaluate", "save"}  # what comes now has the optimiser's states beside it
        return "evaluate" not in self.reached and self.recorder.steps < self.begun_at + MORE

    def batch_is_over(self):
        """The one batch that a loader gave has been used."""
        if self.begun_at and self.evaluates:
            self.reached.add("evaluate")

    def saved(self):
        if self.recorder.steps:
            self.reached.add("save")
        if self.begun_at and "evaluate" in self.reached and not (self.recorder.saves.under_way or self.recorder.ending):
            self.recorder.end()

    def not_reached(self):
        """Parts that the program has, as far as its own files tell, and that the run did not come to."""
        text = own_text()
        trainer = "transformers.trainer" in sys.modules  # saves unless it is told not to
        return [
            part
            for part, word in WORDS.items()
            if part not in self.reached and (word in text or (trainer and part == "save"))
        ]


def own_text():
    """The program's main file and the modules beside it, as far as they can be read; empty where there is no such file."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if not main:
        return ""
    folder = os.path.dirname(os.path.abspath(main)) + os.sep
    files = {os.path.abspath(main)}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        # Objects that stand for modules name files that are not there (torch.ops), and come from no import.
        if getattr(module, "__spec__", None) is None or not isinstance(file, str) or not file.endswith(".py"):
            continue
        if os.path.abspath(file).startswith(folder) and "site-packages" not in file:
            files.add(os.path.abspath(file))
    text = ""
    for file in files:
        try:
            with open(file, encoding="utf-8", errors="replace") as source:
                text += source.read(1 << 20)
        except OSError:
            pass
    return text


class OneMore:
    """The batches of a loader: none after the steps, or one of a loader that begins then."""

    def __init__(self, batches, after):
        self.batches, self.after = batches, after
        self.left = 1 if after.begun_at else 0

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.batches)

    def __getattr__(self, name):
        return getattr(self.batches, name)

    def __next__(self):
        if self.after.begun_at:
            if self.left == 0:
                self.after.batch_is_over()
                raise StopIteration
            self.left -= 1
        return next(self.batches)
