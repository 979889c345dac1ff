# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step of a program is: one iteration of its training, whatever its optimisers do in it.

An iteration is over once every optimiser that the program has made has stepped in it, however often the others did: two optimisers side by
side, five steps of a critic and one of a generator, an optimiser for each parameter. One that hasn't stepped while another did 32 times
is not waited for until it does. A step that a GradScaler skips counts. Where there is no optimiser a backward pass is an iteration; it is
over where the next begins. Two threads that train side by side make iterations together: what one has stepped ahead counts in those to come.
"""
import functools
import importlib
import os
import sys
import threading
import weakref

from peakscope.imports import once_imported

WAITED = 32  # steps of another optimiser


def put(holder, name, value):
    """Puts it in the place of what is there; returns what takes it out again, unless somebody has put something over it."""
    before = getattr(holder, name)
    setattr(holder, name, value)

    def take_out():
        if getattr(holder, name) is value:
            setattr(holder, name, before)

    return take_out


HOOKS = {}  # what PyTorch's global hooks call, by what registers them and for whom; None: nothing


def hook(register, whose, then):
    """Has `then` called by a global hook; returns what ends that. Nothing is taken out of PyTorch's dictionaries, through which another thread
    may be going: a hook is registered once for the process."""
    key = (register.__name__, whose)
    first = key not in HOOKS
    HOOKS[key] = then
    if first:
        def call(*args):
            now = HOOKS[key]
            if now is not None:
                now(*args)

        register(call)
    return functools.partial(HOOKS.__setitem__, key, None)


class Steps:
    def __init__(self, over):
        self.over = over  # is called with each iteration that is over
        self.optimizers = weakref.WeakSet()
        self.idle = weakref.WeakSet()
        self.stepped = weakref.WeakKeyDictionary()  # since the last iteration was over: how often
        self.threads = weakref.WeakKeyDictionary()  # of the program's, which stepped it last; 0: autograd's own did
        self.lock = threading.Lock()
        self.optimizer_steps, self.backward_passes = 0, 0
        self.empty = weakref.WeakSet()  # have stepped where no parameter had a gradient, and hold nothing
        self.undo = []  # what ends it
        self.by_hand = False  # a backward pass is under way, or its weights are being changed, without an optimiser

    def attach(self):
        module = importlib.import_module("torch.optim.optimizer")
        begin = module.Optimizer.__init__

        @functools.wraps(begin)
        def begin_seen(optimizer, *args, **kwargs):
            begin(optimizer, *args, **kwargs)
            self.optimizers.add(optimizer)

        self.undo.append(put(module.Optimizer, "__init__", begin_seen))
        self.undo.append(hook(module.register_optimizer_step_post_hook, "steps", lambda optimizer, *_: self.stepped_by(optimizer)))
        once_imported("torch.amp.grad_scaler", self.see_scaler)

    def see_scaler(self, module):
        scaler = module.GradScaler
        step = scaler.step

        @functools.wraps(step)
        def step_seen(this, optimizer, *args, **kwargs):
            before = self.optimizer_steps
            result = step(this, optimizer, *args, **kwargs)
            if self.optimizer_steps == before and optimizer in self.optimizers:
                self.note(optimizer)
            return result

        self.undo.append(put(scaler, "step", step_seen))

    def add_older(self, optimizer):
        """One that was there before: it may never step again, so that none waits for it until it does."""
        self.optimizers.add(optimizer)
        self.idle.add(optimizer)

    def stepped_by(self, optimizer):
        self.optimizer_steps += 1
        self.optimizers.add(optimizer)
        if not optimizer.state and not has_gradients(optimizer):
            self.empty.add(optimizer)
        else:
            self.empty.discard(optimizer)
        self.note(optimizer)

    def note(self, optimizer):
        with self.lock:
            over = self.is_over_with(optimizer)
        if over:
            self.over()

    def is_over_with(self, optimizer):
        """Whether the iteration is, now that this one has stepped."""
        thread = threading.get_ident()
        self.threads[optimizer] = thread if thread in threading._active else 0
        count = self.stepped[optimizer] = self.stepped.get(optimizer, 0) + 1
        self.idle.discard(optimizer)
        if count >= WAITED:
            self.idle.update(other for other in self.optimizers if other not in self.stepped)
        if not all(other in self.stepped or other in self.idle for other in self.optimizers):
            return False
        ahead = [(other, steps - 1) for other, steps in self.stepped.items() if steps > 1 and self.threads[other] not in (0, self.threads[optimizer])]
        self.stepped.clear()
        if self.threads[optimizer]:
            self.stepped.update(ahead)
        return True

    def backward(self):
        """A backward pass begins."""
        if self.by_hand and not self.optimizers:
            self.over()
        self.backward_passes += 1
        self.by_hand = not self.optimizers

    def at_end(self):
        """The program is over, and with it an iteration by hand."""
        if self.by_hand and not self.optimizers:
            self.by_hand = False
            self.over()

    def warnings(self):
        """What of a training can't be in what was recorded."""
        if self.backward_passes and not self.optimizer_steps:
            if self.optimizers:
                return [f"no optimiser took a step (backward passes: {self.backward_passes}): what an optimiser holds once it has stepped is in no number"]
            return [f"no optimiser of PyTorch took a step (backward passes: {self.backward_passes}): each pass counts as a step, and another "
                    "optimiser's states as inputs"]
        return [f"{kind} has stepped and holds nothing: none of its parameters had a gradient"
                for kind in sorted({type(optimizer).__name__ for optimizer in self.empty})]


def has_gradients(optimizer):
    return any(parameter.grad is not None for group in optimizer.param_groups for parameter in group["params"])


def end_of_a_test():
    """What ends one test of pytest, and not the others; None: no test is run."""
    outcomes = sys.modules.get("_pytest.outcomes")
    return outcomes.Skipped("peakscope: ended after the steps asked for") if outcomes and os.environ.get("PYTEST_CURRENT_TEST") else None
