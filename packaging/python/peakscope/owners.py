# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose the blocks are that are alive when a program ends: what modules own are parameters, trained or not, what an optimiser's states
hold is its own, and a plain tensor that was there before the first step is neither. Where the program still has them, this is known; of all
other blocks the reader of the history infers it.
"""
import gc


def tensors(values):
    for value in values:
        if isinstance(value, dict):
            yield from tensors(value.values())
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)
        elif hasattr(value, "untyped_storage"):
            yield getattr(value, "_local_tensor", value)


def addresses(values):
    found = set()
    for tensor in tensors(values):
        try:
            if tensor.is_cuda:
                found.add(tensor.untyped_storage().data_ptr())
        except RuntimeError:
            continue  # a wrapper without a storage of its own
    return found


def tell(snapshot, torch, optimizers, first_step):
    """Writes into the history's blocks whose they are. first_step: when it was over, in microseconds since 1970; 0: there was none."""
    objects = gc.get_objects()
    modules = [each for each in objects if issubclass(type(each), torch.nn.Module)]
    plain = addresses(each for each in objects if type(each) is torch.Tensor)
    parameters = addresses(value for module in modules for value in (*module._parameters.values(), *module._buffers.values()))
    states = addresses(value for optimizer in optimizers for value in optimizer.state.values())
    plain -= addresses(parameter.grad for optimizer in optimizers for group in optimizer.param_groups for parameter in group["params"])
    for trace in snapshot.get("device_traces", ()):
        alive = {}
        for event in trace:
            if event["action"] == "alloc":
                alive[event["addr"]] = event
            elif event["action"] in ("free_requested", "free"):
                alive.pop(event["addr"], None)
        for address, event in alive.items():
            if address in parameters:
                event["user_metadata"] = "parameters"
            elif address in states:
                event["user_metadata"] = "optimizer_states"
            elif parameters and address in plain and event.get("time_us", 0) < first_step:
                event["user_metadata"] = "other"
