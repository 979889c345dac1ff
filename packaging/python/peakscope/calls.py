# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of an operator: what it is given, what of that is known, and the same on the host."""
from peakscope.contents import GUESSED, KNOWN

# What the host reads by these is told of here.
COPIES = {"copy_", "_to_copy", "_copy_from", "_copy_from_and_resize"}
# What takes no contents from what it is made like.
LIKE = {"zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like", "new_zeros", "new_ones", "new_full"}
# What is written without being read first.
OVERWRITTEN = {"copy_", "fill_", "zero_", "random_", "normal_", "uniform_", "bernoulli_", "exponential_", "geometric_",
               "cauchy_", "log_normal_"}


class Operator:
    """What each call asks of an operator. Made at the first: a program calls some fifty of two thousand."""

    def __init__(self, shadows, name, overload):
        self.name, self.op = name, getattr(getattr(shadows.torch.ops.aten, name), overload or "default")
        arguments = self.op._schema.arguments
        self.names = tuple(value.name for value in arguments)
        self.written = tuple(value.name for value in arguments if value.alias_info and value.alias_info.is_write)
        self.reads = name not in OVERWRITTEN and not overload.endswith("out")
        self.tensors = [index for index, value in enumerate(arguments) if str(value.type) == "Tensor"]
        self.handle = shadows.special.get(name, shadows.general)
        # Of a large float nothing is known, nor of what is made of it; most calls of a program are of this kind.
        self.quick = self.handle == shadows.general and name not in COPIES | LIKE and self.written in ((), ("self",))
        self.listed = name in shadows.lists
        self.rule = shadows.answers.rule(name)


class Host:
    """What an operator gave on the host."""

    def __init__(self, result, written=None):
        self.result, self.written = result, written or {}

    def of(self, name, place):
        return self.written[name][place]


class Call:
    """One call of an operator: what it is given, and what is known of that."""

    def __init__(self, shadows, operator, args, kwargs):
        self.shadows, self.args, self.kwargs = shadows, args, kwargs
        self.op, self.name, self.names = operator.op, operator.name, operator.names
        self.written, self.reads, self.rule = operator.written, operator.reads, operator.rule
        self.look()

    def value(self, name, otherwise=None):
        if name in self.kwargs:
            return self.kwargs[name]
        index = self.names.index(name) if name in self.names else len(self.args)
        return self.args[index] if index < len(self.args) else otherwise

    def look(self):
        """foreign: wrapped or fake tensors, not ours; cuda: some are on the card; known: all of what is read on it is."""
        self.device, self.foreign, self.state = [], False, KNOWN
        self.known = self.rest = True  # all that is read; all but what is written
        for index, value in enumerate((*self.args, *self.kwargs.values())):
            for tensor in tensors_of(value):
                if type(tensor) not in self.shadows.plain or self.shadows.wrapped(tensor):
                    self.foreign = True
                    return
                if not tensor.is_cuda:
                    continue
                self.device.append(tensor)
                if index == 0 and self.name in LIKE:
                    continue
                written = self.written and self.name_of(index) in self.written
                if self.known or (self.rest and not written):
                    if self.take(tensor) or written and not self.reads:
                        continue
                    self.known = False
                    self.rest = self.rest and written
        self.cuda = bool(self.device)
        self.first = self.device[0] if self.device else None

    def name_of(self, index):
        return self.names[index] if index < len(self.args) else tuple(self.kwargs)[index - len(self.args)]

    def take(self, tensor):
        found = self.shadows.read(tensor) if self.shadows.small(tensor) else None
        if found and found[1] == GUESSED:
            self.state = GUESSED
        return found is not None

    def targets(self):
        for name in self.written:
            for place, tensor in enumerate(tensors_of(self.value(name))):
                if tensor.is_cuda or self.cuda:
                    yield name, place, tensor

    def real(self):
        return self.op(*self.args, **self.kwargs)

    def host(self, value, name, written, filling):
        """An argument on the host. A method: a function within a function would hold the tensors until garbage is collected."""
        torch = self.shadows.torch
        if torch.is_tensor(value):
            if not value.is_cuda:
                held = value
            elif name in self.written:
                held = self.shadows.filled(value, filling)
            elif self.name in LIKE:
                held = torch.empty(1, dtype=value.dtype, device="cpu").expand(value.size())
            else:
                held = self.shadows.read(value)[0]
            if name in self.written:
                held = held.clone()
                written.setdefault(name, []).append(held)
            return held
        if isinstance(value, (list, tuple)):
            return type(value)([self.host(each, name, written, filling) for each in value])
        if isinstance(value, torch.device):
            return torch.device("cpu")
        return self.shadows.own if isinstance(value, torch.Generator) else value

    def on_host(self, filling=0):
        """The same on the host; None: it can't be run there. What it writes is a copy, with a filling for bytes not known."""
        if any(not self.shadows.small(tensor) for _, _, tensor in self.targets()):
            return None
        torch, written = self.shadows.torch, {}
        random = torch.Tag.nondeterministic_seeded in self.op.tags
        kept = torch.get_rng_state() if random else None
        try:
            args = [self.host(value, self.names[index], written, filling) for index, value in enumerate(self.args)]
            kwargs = {name: None if name == "pin_memory" else self.host(value, name, written, filling)
                      for name, value in self.kwargs.items()}
            if random:
                self.state = GUESSED
                torch.set_rng_state(self.shadows.own.get_state())
            with torch.no_grad():
                return Host(self.op(*args, **kwargs), written)
        except Exception:
            return None
        finally:
            if random:
                self.shadows.own.set_state(torch.get_rng_state())
                torch.set_rng_state(kept)


def tensors_of(value):
    if hasattr(value, "untyped_storage"):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(tensor for each in value for tensor in tensors_of(each))
    return ()
