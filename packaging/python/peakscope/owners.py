# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose the blocks are that are alive when a program ends: what modules own are parameters, trained or not, what an optimiser's states
hold is its own, and a plain tensor that was there before the first step is neither. Where the program still has them, this is known; of all
other blocks the reader of the history infers it.
"""
import gc
import types

LARGE = 1 << 20  # bytes: for less the objects are not looked through


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


def beside(torch, weight):
    """What one that isn't trained has beside its own numbers, as a quantised one its scales: tensors that are its attributes, and those of its
    state and of that state's. Libraries that shard weights keep gradients and what they gather in attributes of theirs."""
    found, holders = [], [weight]
    for _ in range(3):
        values = [value for holder in holders for name, value in getattr(holder, "__dict__", {}).items()
                  if not name.startswith("_") and "grad" not in name]
        found += [value for value in values if isinstance(value, torch.Tensor) and value is not weight]
        holders = [value for value in values if not isinstance(value, (torch.Tensor, torch.nn.Module, type, types.ModuleType))]
    return found


def owned_by_modules(torch):
    """Where modules have their parameters and buffers, where those of them that need no gradient lie, and where plain tensors do: all of
    Python's objects are looked at."""
    kinds, modules, plain = {}, [], []
    for each in gc.get_objects():
        kind = type(each)
        if kind not in kinds:
            kinds[kind] = modules if issubclass(kind, torch.nn.Module) else plain if kind is torch.Tensor else None
        if kinds[kind] is not None:
            kinds[kind].append(each)
    owned = [value for module in modules for value in (*module._parameters.values(), *module._buffers.values()) if value is not None]
    owned += [each for value in owned if not value.requires_grad for each in beside(torch, value)]
    return addresses(owned), addresses(value for value in owned if not value.requires_grad), addresses(plain)


def alive_at_end(trace):
    alive = {}
    for event in trace:
        if event["action"] == "alloc":
            alive[event["addr"]] = event
        elif event["action"] in ("free_requested", "free"):
            alive.pop(event["addr"], None)
    return alive


def tell(snapshot, torch, optimizers, first_step):
    """Writes into the history's blocks whose they are. first_step: when it was over, in microseconds since 1970; 0: there was none."""
    trained = [parameter for optimizer in optimizers for group in optimizer.param_groups for parameter in group["params"]]
    parameters, frozen, plain = addresses(trained), set(), set()
    states = addresses(value for optimizer in optimizers for value in optimizer.state.values())
    others = parameters | states | addresses(parameter.grad for parameter in trained)
    traces = [alive_at_end(trace) for trace in snapshot.get("device_traces", ())]
    if any(event["size"] >= LARGE and event.get("frames") and address not in others
           and (not first_step or event.get("time_us", 0) < first_step) for alive in traces for address, event in alive.items()):
        owned, frozen, plain = owned_by_modules(torch)
        frozen, parameters, plain = frozen - parameters, parameters | owned, plain - others - owned
    for alive in traces:
        for address, event in alive.items():
            if address in parameters:
                event["user_metadata"] = "parameters, not trained" if address in frozen else "parameters"
            elif address in states:
                event["user_metadata"] = "optimizer_states"
            elif parameters and address in plain and event.get("time_us", 0) < first_step:
                event["user_metadata"] = "other"
