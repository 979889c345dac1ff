# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that records parts of itself after its training has begun: `peakscope.record`. Says in a line of JSON what it held by its own
count and what was recorded, and fails where they differ or where the recording leaves traces.

    PYTHONPATH="$(peakscope-cli record --python-folder)" python late_loop.py [FOLDER]
"""
import json
import os
import pathlib
import sys
import tempfile
import threading

from peakscope import companions, start

if start.lacks_companions():
    companions.provide()

import torch
from torch import nn
from torch.nn import functional

CLI = os.environ.get("PEAKSCOPE_CLI", "")


def storages(tensors):
    return {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors if tensor is not None}


def bytes_of(tensors):
    return sum(storages(tensors).values())


class Training:
    def __init__(self):
        self.model = nn.Sequential(nn.Embedding(500, 64), nn.Linear(64, 256), nn.BatchNorm1d(48), nn.GELU(), nn.Linear(256, 500))
        self.model[4].bias.requires_grad_(False)
        self.optimizer = torch.optim.AdamW([each for each in self.model.parameters() if each.requires_grad])

    def step(self):
        rows = torch.randint(0, 500, (4, 48))
        self.optimizer.zero_grad(set_to_none=False)  # gradients stay from step to step
        loss = functional.cross_entropy(self.model(rows).view(-1, 500), rows.view(-1))
        loss.backward()
        self.optimizer.step()

    def held(self):
        states = [value for state in self.optimizer.state.values() for value in state.values() if isinstance(value, torch.Tensor)]
        return {"parameters": bytes_of([*self.model.parameters(), *self.model.buffers()]),
                "gradients": bytes_of(parameter.grad for parameter in self.model.parameters()), "optimizer_states": bytes_of(states)}


def hooks():
    """What of PyTorch a recording changes."""
    return (nn.Module.__call__, nn.Parameter.__deepcopy__, torch.autograd._engine_run_backward, torch.autograd.graph._engine_run_backward,
            torch.optim.Optimizer.__init__)


def hooks_of_pytorch():
    """How many there are. They stay, as another thread may be going through them, but are not registered again."""
    optimizer, module = sys.modules["torch.optim.optimizer"], sys.modules["torch.nn.modules.module"]
    return [len(each) for each in (optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks,
                                   module._global_parameter_registration_hooks, module._global_buffer_registration_hooks)]


def compare(recorded, held):
    components = recorded.components
    for name, want in held.items():
        assert components.get(name, 0) == want, f"{name}: {components.get(name)}, not {want}"
    assert components.get("other", 0) * 100 <= recorded.peak_bytes, components
    assert sum(components.values()) == recorded.peak_bytes, components


def refused(peakscope, call, text):
    try:
        call()
    except peakscope.RecordError as error:
        assert text in str(error), error
        return str(error)
    raise AssertionError(f"not refused: {text}")


def enter(recording):
    with recording:
        pass


def main(folder):
    training = Training()
    kept = torch.ones(1000)  # of nobody's, and taken by no pass
    training.step()
    training.step()
    import peakscope

    before, held = hooks(), training.held()
    with peakscope.record(folder / "first.json", stacks=True) as first:
        training.step()
        refused(peakscope, lambda: enter(peakscope.record()), "being recorded already")
        training.step()
    assert hooks() == before
    registered = hooks_of_pytorch()
    compare(first, held)
    assert first.result["config"]["program"]["steps"] == 2, first.result["config"]
    assert first.result["status"] == "complete"
    modules = dict(first.holders(by="module", count=20))
    assert "4" in modules and "1" in modules, modules
    assert any("late_loop.py" in line for line, _ in first.holders(by="line")), first.holders()
    stacks = first.holders(by="stack")
    assert any(stack.startswith("late_loop.py") and "; late_loop.py" in stack for stack, _ in stacks), stacks
    training.step()

    fresh = Training()  # from within to behind a recording, and of one that nothing is known of
    with peakscope.record(operators=False) as second:
        fresh.step()
    compare(second, {name: size + training.held()[name] for name, size in fresh.held().items()})
    assert os.path.exists(second.path)
    del fresh

    try:
        with peakscope.record(folder / "third.json") as third:
            training.optimizer.zero_grad()  # the older gradients go
            training.step()
            raise ValueError("the block's own")
    except ValueError as error:
        assert str(error) == "the block's own" and error.__context__ is None
    assert third.result["status"] == "failed" and "ValueError" in third.result["message"], third.result["message"]
    assert third.components["optimizer_states"] == held["optimizer_states"], third.components
    assert third.result["memory"]["max_components"]["gradients"] == held["gradients"], third.result["memory"]["max_components"]

    without_the_program(peakscope, training)
    beside_other_threads(peakscope)
    assert hooks() == before and hooks_of_pytorch() == registered
    print(json.dumps({"late": "done", "peak": first.peak_bytes, "adopted": sum(held.values()) + kept.nbytes, "torch": torch.__version__}))


def beside_other_threads(peakscope):
    """Recordings that begin and end in the midst of another thread's training."""
    training, goes_on, failed = Training(), threading.Event(), []

    def train():
        try:
            while not goes_on.is_set():
                training.step()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=train)
    thread.start()
    try:
        for _ in range(5):
            with peakscope.record(operators=False):
                Training().step()
    finally:
        goes_on.set()
        thread.join()
    assert not failed, failed


def without_the_program(peakscope, training):
    os.environ["PEAKSCOPE_CLI"] = "/nowhere/peakscope-cli"
    lost = peakscope.record()

    def body():
        with lost:
            training.step()

    said = refused(peakscope, body, "set it to the path of peakscope-cli")
    assert lost.folder in said and list(pathlib.Path(lost.folder).glob("*.events"))
    refused(peakscope, lambda: lost.peak_bytes, "no result")
    for file in pathlib.Path(lost.folder).iterdir():
        file.unlink()
    os.rmdir(lost.folder)
    os.environ["PEAKSCOPE_CLI"] = CLI
    os.environ["PEAKSCOPE_PROBE"] = "/nowhere"
    refused(peakscope, lambda: enter(peakscope.record()), "records this process already")
    del os.environ["PEAKSCOPE_PROBE"]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(pathlib.Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(pathlib.Path(scratch))
