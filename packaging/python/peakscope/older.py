# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is older than a recording that begins in the middle of a program: its tensors, and whose they are, found by Python's collector."""
import gc
import sys
import threading
import time

from peakscope.attach import GRADIENTS
from peakscope.mapped import storage_of

LONGEST_WAIT = 10  # seconds, for other threads that train


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


def adopt_storages(attached, tensors):
    seen = {0}
    for tensor in tensors:
        storage = storage_of(tensor)
        if storage is None or storage._cdata in seen:
            continue
        seen.add(storage._cdata)
        if storage.device.type == "cpu":
            attached.probe.adopt(storage._cdata)
        else:
            adopt_on_card(attached, storage)


def adopt_on_card(attached, storage):
    try:
        address = storage.data_ptr()
    except RuntimeError:  # it has no data, as a fake one
        return
    if address:
        attached.probe.older(address, storage.nbytes(), storage.device.index)


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


def others_train(attached):
    """Whether another thread may be letting go of gradients, or writing them, without the interpreter's lock."""
    backward = getattr(attached.run_backward, "__code__", None)
    frames = sys._current_frames()
    del frames[threading.get_ident()]  # which would keep itself, and what its callers hold
    for frame in frames.values():
        while frame is not None:
            if frame.f_code is backward or frame.f_code.co_name in ("zero_grad", "step"):
                return True
            frame = frame.f_back
    return False


def found_at_rest(attached):
    """Tensors, modules, optimisers, and gradients with the tensors that they are of, while no other thread trains: none gets its turn as long
    as this one does not wait."""
    torch = attached.torch
    interval, last = sys.getswitchinterval(), time.monotonic() + LONGEST_WAIT
    sys.setswitchinterval(1000)
    try:
        while others_train(attached) and time.monotonic() < last:
            time.sleep(0.001)
        lists = found(torch.Tensor, torch.nn.Module, torch.optim.Optimizer)
        return *lists, [(gradient_of(tensor), tensor) for tensor in lists[0]]
    finally:
        sys.setswitchinterval(interval)


def adopt(attached):
    """Each older block is there from the recording's beginning, with its purpose."""
    with attached.torch._C.DisableTorchFunctionSubclass():
        tensors, modules, optimizers, pairs = found_at_rest(attached)
        pairs = [(gradient, tensor) for gradient, tensor in pairs if gradient is not None]
        adopt_storages(attached, tensors + [gradient for gradient, _ in pairs])
        for module in roots_of(modules):
            attached.own_root(module)
        for optimizer in optimizers:
            attached.counting.add_older(optimizer)
            attached.own_fresh(optimizer)
            attached.step_ends(optimizer)
        owners = [attached.parameters.get(id(tensor), (None, 0))[1] for _, tensor in pairs]
        attached.tell_purpose(GRADIENTS, [gradient for gradient, _ in pairs], owners)
