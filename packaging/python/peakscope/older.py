# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is older than a recording that begins in the middle of a program: its tensors, and whose they are, found by Python's collector."""
import gc

from peakscope.attach import LOAD


def found(*kinds):
    """The objects of these kinds, a list each. Asked of their types: isinstance() would run code of proxies, which may warn."""
    lists = [[] for _ in kinds]
    known = {}
    for each in gc.get_objects():
        kind = type(each)
        chosen = known.get(kind)
        if chosen is None:
            chosen = known[kind] = next((number for number, of in enumerate(kinds) if issubclass(kind, of)), -1)
        if chosen >= 0:
            lists[chosen].append(each)
    return lists


def gradient_of(tensor):
    """PyTorch alone may hold it. One of a tensor that is no leaf would be asked for with a warning."""
    return tensor.grad if tensor.requires_grad and tensor.is_leaf else None


def storage_of(tensor):
    """The address of a c10::StorageImpl; 0: it has none of its own in the processor's memory."""
    try:
        return tensor.untyped_storage()._cdata if tensor.device.type == "cpu" else 0
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return 0


def adopt_storages(attached, tensors):
    seen = {0}
    for tensor in tensors:
        storage = storage_of(tensor)
        if storage not in seen:
            seen.add(storage)
            attached.probe.adopt(storage)


def children_of(module):
    return [each for each in (vars(module).get("_modules") or {}).values() if each is not None]


def bytes_of(module):
    return sum(tensor.nbytes for tensor in module.parameters())


def roots_of(modules):
    """Those that are no part of another; the largest first, as the model that the program is about."""
    parts = {id(part) for module in modules for part in children_of(module)}
    sizes = []
    for module in modules:
        try:
            if id(module) not in parts:
                sizes.append((bytes_of(module), module))
        except Exception:  # half built, or of a kind that has no tensors of the usual kind
            continue
    return [module for _, module in sorted(sizes, key=lambda pair: -pair[0])]


def adopt(attached):
    """Each older block is there from the recording's beginning, with its purpose."""
    torch = attached.torch
    with torch._C.DisableTorchFunctionSubclass():
        tensors, modules, optimizers = found(torch.Tensor, torch.nn.Module, torch.optim.Optimizer)
        gradients = [gradient for gradient in map(gradient_of, tensors) if gradient is not None]
        adopt_storages(attached, tensors + gradients)
        for module in roots_of(modules):
            attached.own_root(module)
        for optimizer in optimizers:
            attached.counting.add_older(optimizer)
            attached.step_begins(optimizer, LOAD)
            attached.step_ends(optimizer)
        attached.own_gradients()
