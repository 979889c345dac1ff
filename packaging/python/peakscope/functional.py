# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.func does: it asks autograd for a graph of every gradient, whether or not one is ever gone through, and models are called with
parameters that no module owns."""
import types


class Functional:
    def __init__(self, torch, attached, parameters, gradients, per_sample):
        functions = torch._C._functorch
        self.torch, self.attached = torch, attached
        self.parameters, self.gradients, self.per_sample = parameters, gradients, per_sample
        self.is_wrapped, self.is_batched = functions.is_functorch_wrapped_tensor, functions.is_batchedtensor
        self.unwrapped, self.levels = functions.get_unwrapped, functions.get_interpreter_stack
        kinds = functions.TransformType
        self.grad, self.vmap, self.forward = kinds.Grad, kinds.Vmap, kinds.Jvp

    def see(self, put):
        """Returns what takes it out again."""
        stateless = self.torch.nn.utils.stateless
        call = stateless._functional_call

        def called(module, parameters_and_buffers, *args, **kwargs):
            if not self.attached.over and not self.attached.compiling():
                self.attached.called_with(module, parameters_and_buffers)
            return call(module, parameters_and_buffers, *args, **kwargs)

        return put(stateless, "_functional_call", called)

    def base(self, tensor):
        """Behind its wrappers; and whether one of them was a batch's."""
        batched = False
        while self.is_wrapped(tensor):
            batched = batched or self.is_batched(tensor)
            tensor = self.unwrapped(tensor)
        return tensor, batched

    def is_first_order(self, outputs):
        """Whether nothing goes back through what this backward pass does, though it was asked for a graph."""
        if not outputs or not self.is_wrapped(outputs[0]):
            return False
        levels = [level.key() for level in self.levels() or ()]
        if self.forward in levels or levels.count(self.grad) > (levels[-1:] == [self.grad]):
            return False
        return not self.base(outputs[0])[0].requires_grad

    def own_results(self, results):
        """The gradients that torch.func.grad gives; of each sample where vmap goes over it."""
        levels = [level.key() for level in self.levels() or ()]
        if levels[-1:] != [self.grad]:
            return
        for purpose, wanted in ((self.gradients, False), (self.per_sample, True)):
            chosen = [base for base, batched in map(self.base, (each for each in results if each is not None)) if batched == wanted]
            addresses = [address for base in chosen for address in self.attached.addresses_of(base)]
            self.attached.probe.purpose(purpose, addresses, [0] * len(addresses))

    def own_parameters(self, module, values):
        """Those that a module is called with in place of its own; not what a graph has made."""
        bases = [self.base(each)[0] for each in values if isinstance(each, self.torch.Tensor)]
        bases = [base for base in bases if base.grad_fn is None]
        addresses = [self.attached.address_of(base) for base in bases]
        self.attached.probe.purpose(self.parameters, addresses, [self.attached.number_of(module)] * len(addresses))


def values_in(given):
    """functional_call takes a dictionary, or several."""
    if isinstance(given, (list, tuple, types.GeneratorType)):
        return [value for each in given for value in values_in(each)]
    return list(given.values()) if hasattr(given, "values") else []
