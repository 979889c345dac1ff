# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records a program of one's own, unchanged: attaches the probe as PyTorch is imported and tells it what is at work.

The launcher says by the environment: PEAKSCOPE_PROBE, the folder for what is recorded; PEAKSCOPE_PROBE_FLAGS, what is looked at (probe.py);
PEAKSCOPE_STEPS, after how many steps the program is ended (0: it is not); PEAKSCOPE_STRICT, that it does not run where it can't be recorded.
What bytes are for is worked out by whoever reads the recording.
"""
import atexit
import contextlib
import functools
import importlib
import os
import platform
import sys
import threading
import types
import weakref

from peakscope import probe
from peakscope.budget import Budget
from peakscope.functional import Functional, values_in
from peakscope.imports import once_imported
from peakscope.mapped import Mapped
from peakscope.owners import beside
from peakscope.steps import Steps, hook, put
from peakscope.uncounted import UncountedContainers

PHASES = ("load", "data", "forward", "backward", "optimizer_step", "evaluate")
LOAD, DATA, FORWARD, BACKWARD, OPTIMIZER_STEP, EVALUATE = range(len(PHASES))
PURPOSES = ("", "parameters", "frozen", "gradients", "optimizer_states", "per_sample_gradients")
PARAMETERS, FROZEN, GRADIENTS, STATES, PER_SAMPLE = range(1, len(PURPOSES))
MODULE, PHASE, STEP, FLAGS = range(4)
IN_BACKWARD = 8  # a module is called there: the forward pass is repeated
COMMUNICATION = 16
FIRST_ORDER = 64  # autograd was asked for a graph of the gradients, and nobody goes through it
# What communicates while it is at work, by the module that has it; FSDP2 moved between releases.
GROUP = ("FSDPParamGroup", ("unshard", "wait_for_unshard", "reshard", "post_backward"))
COMMUNICATING = (
    ("torch.nn.parallel.distributed", "DistributedDataParallel", ("__init__",)),
    ("torch.distributed", "Reducer", ("_rebuild_buckets",)),  # in the second forward pass, once it is known in which order gradients come
    ("torch.distributed.fsdp._flat_param", "FlatParamHandle", ("pre_unshard", "unshard")),
    ("torch.distributed.fsdp._runtime_utils", "", ("_reduce_grad",)),
    ("torch.distributed.fsdp._fully_shard._fsdp_param_group", *GROUP),
    ("torch.distributed._composable.fsdp._fsdp_param_group", *GROUP),
)


def unnoticed(method):
    """What goes wrong here is said in the result, and not to the program; what is kept here does not count among the containers after
    which Python collects garbage, which may hold memory of the card."""
    @functools.wraps(method)
    def tried(self, *args):
        with self.count:
            try:
                return method(self, *args)
            except Exception as error:
                if method.__name__ not in self.failed:
                    self.failed.add(method.__name__)
                    self.probe.tell("warning", f"the recorder lost track in {method.__name__}: {type(error).__name__}: {error}")
                return None

    return tried


ATTACHED = weakref.WeakSet()


def leave_to_parent():
    """In a fork nothing is recorded."""
    for each in ATTACHED:
        each.over = True


os.register_at_fork(after_in_child=leave_to_parent)


def tensors_in(torch, value, found):
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, dict):
        for each in value.values():
            tensors_in(torch, each, found)
    elif isinstance(value, (list, tuple)):
        for each in value:
            tensors_in(torch, each, found)


class Root:
    """What a module that is called from outside any other owns. Nothing here keeps a tensor alive."""

    def __init__(self, module, attached):
        self.tensors, self.owners, self.addresses, self.thread = [], [], None, None
        seen = set()
        for each in module.modules():
            number = attached.modules.get(id(each), (0, None))[0]
            for tensor in (*each._parameters.values(), *each._buffers.values()):
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    self.tensors.append(weakref.ref(tensor))
                    self.owners.append(number)


class Attached:
    """`counting`: steps are counted already, and the program is ended, by others (Steps), who call step_is_over()."""

    modules_numbered = 0  # in all recordings of this process: graphs outlive them, and with them numbers of modules

    def __init__(self, torch, path, flags, counting=None):
        self.torch = torch
        self.over, self.undo = False, []
        self.counted_here, self.counting = counting is None, counting or Steps(self.stepped)
        self.count = contextlib.nullcontext() if self.counted_here else UncountedContainers()
        self.failed = set()
        self.batch, self.batch_step = "", None  # its shape, and the step that it was looked at in
        self.modules = {}  # id: (number, weak reference)
        self.numbers = {}  # of modules, by path and class
        self.roots = {}
        self.parameters = {}  # id: (weak reference, number of the module, what has the thread that trains it)
        self.states = weakref.WeakKeyDictionary()  # of optimisers: how many values
        self.by_hand = weakref.WeakSet()  # optimisers with parameters of no module: a program may give them their gradients
        self.closure = None  # the optimiser that is stepping, and calls the forward and backward passes itself
        self.accumulated = False  # a backward pass did, since an optimiser stepped
        self.sampled = False  # there are gradients of each sample, of which others are made before an optimiser steps
        self.depth = 0
        self.steps, self.most = 0, int(os.environ.get("PEAKSCOPE_STEPS") or 0)
        self.ending = self.due = False
        # All of what is hooked is looked up before anything is: a PyTorch that has it elsewhere is left as it is.
        self.optimizer = importlib.import_module("torch.optim.optimizer")
        self.module = importlib.import_module("torch.nn.modules.module")
        self.compiling = torch.compiler.is_compiling
        self.call = torch.nn.Module.__call__
        self.data_address = torch._C._data_address  # data_ptr() would end a copy that waits to be made
        self.copy_parameter = torch.nn.Parameter.__deepcopy__
        self.run_backward = torch.autograd._engine_run_backward
        self.plain = (torch.Tensor, torch.nn.Parameter)
        self.functional = Functional(torch, self, PARAMETERS, GRADIENTS, PER_SAMPLE)
        for holder, name in ((self.module, "register_module_parameter_registration_hook"), (self.module, "register_module_buffer_registration_hook"),
                             (self.optimizer, "register_optimizer_step_pre_hook"), (self.optimizer, "register_optimizer_step_post_hook")):
            getattr(holder, name)
        self.probe, self.stacks = probe.Probe(torch, path, flags), bool(flags & probe.STACKS)
        self.mapped, self.budget = Mapped(self.probe), Budget(torch)
        self.context = self.probe.context

    def begin(self):
        torch = self.torch
        for number, phase in enumerate(PHASES):
            self.probe.name("f", number, phase)
        for number, purpose in enumerate(PURPOSES):
            self.probe.name("c", number, purpose)
        for key, value in (("torch", torch.__version__), ("cuda", torch.version.cuda or ""), ("python", platform.python_version()),
                           ("process", os.getpid()), ("rank", os.environ.get("RANK", "")), ("world", os.environ.get("WORLD_SIZE", ""))):
            self.probe.tell(key, value)
        if self.stacks:
            self.probe.tell("stacks", 1)
        self.context[MODULE] = self.context[FLAGS] = 0
        if self.counted_here:
            self.probe.limit(self.budget.of_processor())
        self.see_registration()
        if self.counted_here:
            self.see_storages()
        self.see_calls()
        self.see_backward()
        self.undo.append(self.functional.see(put))
        self.see_optimizers()
        for name, kind, methods in COMMUNICATING:
            once_imported(name, functools.partial(self.see_communication, kind=kind, methods=methods))
        if self.probe.see_cuda:
            torch.cuda._lazy_call(self.see_cards)
        ATTACHED.add(self)
        self.probe.phase(LOAD, -1)
        atexit.register(self.leave, os.getpid())

    @unnoticed
    def see_cards(self):
        self.probe.see_cuda()
        self.probe.tell("allocator", os.environ.get("PYTORCH_ALLOC_CONF") or os.environ.get("PYTORCH_CUDA_ALLOC_CONF") or "")
        if self.counted_here:
            self.budget.begin_cards()
            for number in range(self.torch.cuda.device_count()):
                self.probe.tell(f"card {number}", self.torch.cuda.get_device_name(number))

    def address_of(self, tensor):
        try:
            return self.data_address(getattr(tensor, "_local_tensor", tensor))
        except (AttributeError, RuntimeError):  # it has no storage of its own
            return 0

    def addresses_of(self, tensor):
        """Of all that it consists of: sparse ones have indices and values, others are put together from tensors."""
        if type(tensor) in self.plain and not tensor.is_sparse:
            return (self.address_of(tensor),)
        if tensor.is_sparse:
            parts = (tensor._indices(), tensor._values())
        elif hasattr(tensor, "__tensor_flatten__"):
            named = (getattr(tensor, name) for name in tensor.__tensor_flatten__()[0])
            parts = [part for part in named if isinstance(part, self.torch.Tensor)]
        else:
            return (self.address_of(tensor),)
        return [address for part in parts for address in self.addresses_of(part)]

    def tell_purpose(self, purpose, tensors, owners):
        told = [(address, owner) for tensor, owner in zip(tensors, owners) for address in self.addresses_of(tensor)]
        self.probe.purpose(purpose, [address for address, _ in told], [owner for _, owner in told])

    def phase(self, phase):
        if self.context[PHASE] != phase:
            self.probe.phase(phase, self.context[STEP])

    def see_storages(self):
        """Python makes storages, deep copies of buffers say, by PyTorch's first allocator, whichever took its place."""
        kind = self.torch.UntypedStorage
        make = kind.__new__

        def made(of, *args, **kwargs):
            storage = make(of, *args, **kwargs)
            if not self.over and storage.device.type == "cpu":
                self.probe.made(storage._cdata)
            return storage

        kind.__new__ = staticmethod(made)

        def take_out():
            if kind.__new__ is made:
                del kind.__new__

        self.undo.append(take_out)

    # ---- modules

    def see_registration(self):
        compiling, copy = self.compiling, self.copy_parameter

        def registered(_, name, tensor):
            if tensor is not None and not compiling():
                self.own([tensor], [0])

        for register in (self.module.register_module_parameter_registration_hook, self.module.register_module_buffer_registration_hook):
            self.undo.append(hook(register, "purposes", registered))

        def copied(parameter, memo):
            result = copy(parameter, memo)
            if not compiling():
                self.own([result], [0])
            return result

        self.undo.append(put(self.torch.nn.Parameter, "__deepcopy__", copied))
        # Neither a deep copy of a module nor its move to a card registers anything; one that is never called, as a moving average, has no
        # other moment to be seen.
        for name in ("_apply", "__setstate__"):
            self.undo.append(put(self.torch.nn.Module, name, self.renewing(getattr(self.torch.nn.Module, name))))

    def renewing(self, method):
        @functools.wraps(method)
        def renewed(module, *args, **kwargs):
            result = method(module, *args, **kwargs)
            if not self.over and not self.compiling():
                self.own_module(module)
            return result

        return renewed

    @unnoticed
    def own_module(self, module):
        own = [tensor for tensor in (*module._parameters.values(), *module._buffers.values()) if tensor is not None]
        self.own(own, [0] * len(own))

    @unnoticed
    def own(self, tensors, owners):
        """What modules own, trained or not."""
        for purpose, trained in ((PARAMETERS, True), (FROZEN, False)):
            chosen = [(tensor, owner) for tensor, owner in zip(tensors, owners) if tensor.requires_grad == trained]
            if not trained:
                chosen += [(each, owner) for tensor, owner in chosen for each in beside(self.torch, tensor)]
            if chosen and self.counted_here:
                self.mapped.see(tensor for tensor, _ in chosen)
            if chosen:
                self.tell_purpose(purpose, *zip(*chosen))

    def number_modules(self, root):
        first = not self.numbers
        for name, module in root.named_modules():
            if id(module) in self.modules and self.modules[id(module)][1]() is module:
                continue
            kind = type(module).__name__
            path = name.replace("_orig_mod.", "") or kind
            if not first and name:
                path = f"{type(root).__name__}.{path}"
            known = f"{path}\t{kind}"
            if known not in self.numbers:
                Attached.modules_numbered += 1
                self.numbers[known] = Attached.modules_numbered
                self.probe.name("m", self.numbers[known], known)
            self.modules[id(module)] = (self.numbers[known], weakref.ref(module))

    def number_of(self, module):
        known = self.modules.get(id(module))
        if known is None or known[1]() is not module:
            self.number_modules(module)
            known = self.modules[id(module)]
        return known[0]

    @unnoticed
    def root_begins(self, module, args=(), kwargs=None):
        """A module is called from outside any other."""
        context = self.context
        if context[PHASE] == BACKWARD:
            context[FLAGS] |= IN_BACKWARD
            return
        owned = self.own_root(module)
        if owned is not None:
            owned.thread = threading.get_ident()
        if context[STEP] < 0:
            context[STEP] = 0
        self.phase(FORWARD if self.torch.is_grad_enabled() else EVALUATE)
        self.probe.mark(probe.ROOT_BEGINS)
        if self.batch_step != context[STEP] and context[PHASE] == FORWARD:
            self.tell_batch(args, kwargs or {})

    def tell_batch(self, args, kwargs):
        """The shape of the first tensor that a step's model is called with, where it is another than the step's before."""
        self.batch_step = self.context[STEP]
        found = []
        for each in (*args, *kwargs.values()):
            tensors_in(self.torch, each, found)
            if found:
                break
        shape = "x".join(map(str, found[0].shape)) if found else ""
        if shape != self.batch:
            self.batch = shape
            self.probe.tell("batch", f"{self.batch_step}\t{shape}")

    @unnoticed
    def own_root(self, module):
        """What it owns, unless that lies where it did."""
        self.number_of(module)
        root = self.roots.get(id(module))
        if root is None or root[1]() is not module:
            root = self.roots[id(module)] = (Root(module, self), weakref.ref(module))
        owned = root[0]
        alive = [reference() for reference in owned.tensors]
        if any(tensor is None for tensor in alive):
            owned = Root(module, self)
            self.roots[id(module)] = (owned, weakref.ref(module))
            alive = [reference() for reference in owned.tensors]
        addresses = [self.address_of(tensor) for tensor in alive]
        if addresses != owned.addresses:
            owned.addresses = addresses
            self.own(alive, owned.owners)
            for reference, tensor, owner in zip(owned.tensors, alive, owned.owners):
                if tensor.requires_grad:
                    self.parameters[id(tensor)] = (reference, owner, owned)
        return owned

    def root_ends(self):
        context = self.context
        if context[FLAGS] & IN_BACKWARD:
            context[FLAGS] &= ~IN_BACKWARD
        elif context[PHASE] == EVALUATE:
            self.phase(OPTIMIZER_STEP if self.closure else DATA)

    def see_calls(self):
        compiling, call, context, modules = self.compiling, self.call, self.context, self.modules

        def __call__(self_, *args, **kwargs):
            if compiling() or self.over:
                return call(self_, *args, **kwargs)
            outermost = self.depth == 0
            if outermost:
                self.root_begins(self_, args, kwargs)
            self.depth += 1
            before = context[MODULE]
            known = modules.get(id(self_))
            context[MODULE] = known[0] if known and known[1]() is self_ else self.number_of(self_)
            try:
                return call(self_, *args, **kwargs)
            finally:
                context[MODULE] = before
                self.depth -= 1
                if outermost:
                    self.root_ends()

        self.undo.append(put(self.torch.nn.Module, "__call__", __call__))

    def see_communication(self, module, kind, methods):
        holder = getattr(module, kind, None) if kind else module
        for name in methods if not self.over else ():
            method = getattr(holder, name, None)
            if method is not None:
                self.undo.append(put(holder, name, self.communicating(method)))

    def communicating(self, method):
        @functools.wraps(method)
        def seen(*args, **kwargs):
            before = self.context[FLAGS]
            self.context[FLAGS] = before | COMMUNICATION
            try:
                return method(*args, **kwargs)
            finally:
                self.context[FLAGS] = before

        return seen

    # ---- backward

    def see_backward(self):
        run, context = self.run_backward, self.context

        def run_seen(*args, **kwargs):
            if self.over:
                return run(*args, **kwargs)
            before, flags, depth = context[PHASE], context[FLAGS], self.depth
            nested = before == BACKWARD
            first_order = len(args) > 3 and args[3] is True and self.is_first_order(args[0])
            self.phase(BACKWARD)
            # Whatever is called from within begins a forward pass anew.
            context[FLAGS], self.depth = flags & ~IN_BACKWARD | (FIRST_ORDER if first_order else 0), 0
            if not nested:
                self.probe.mark(probe.BACKWARD_BEGINS)
                if self.counted_here:
                    self.counting.backward()
            try:
                results = run(*args, **kwargs)
                if first_order:
                    self.own_results(results)
                elif len(args) > 4 and not args[3] and not kwargs.get("accumulate_grad", True):
                    self.own_asked(args[4], results)
                return results
            finally:
                context[FLAGS], self.depth = flags, depth
                if not nested:
                    self.probe.mark(probe.BACKWARD_ENDS)
                    self.own_gradients()
                    accumulates = kwargs.get("accumulate_grad", False)
                    self.accumulated |= accumulates
                    self.phase(OPTIMIZER_STEP if self.closure else DATA if accumulates and not depth else before)
                    if self.due and not depth:
                        self.end()

        for holder in (self.torch.autograd, self.torch.autograd.graph):
            self.undo.append(put(holder, "_engine_run_backward", run_seen))

    @unnoticed
    def is_first_order(self, outputs):
        return self.functional.is_first_order(outputs)

    @unnoticed
    def own_results(self, results):
        self.functional.own_results(results)

    @unnoticed
    def own_asked(self, inputs, results):
        """torch.autograd.grad gives gradients of parameters, and of others."""
        pairs = [(result, self.parameters[id(tensor)][1]) for tensor, result in zip(inputs, results)
                 if result is not None and id(tensor) in self.parameters and self.parameters[id(tensor)][0]() is tensor]
        if pairs:
            self.tell_purpose(GRADIENTS, *zip(*pairs))

    @unnoticed
    def called_with(self, module, values):
        self.functional.own_parameters(module, values_in(values))

    @unnoticed
    def own_gradients(self):
        """Of the parameters that this thread trains: another thread may let go of theirs meanwhile, without the interpreter's lock. A thread that
        is not Python's is autograd's own, at work for one that waits."""
        thread = threading.get_ident()
        everyone = thread not in threading._active
        gradients, owners, samples, of = [], [], [], []
        for known, (reference, owner, user) in list(self.parameters.items()):
            if user.thread != thread and not everyone:
                continue
            parameter = reference()
            if parameter is None:
                del self.parameters[known]
                continue
            gradient = parameter.grad
            if gradient is not None:
                gradients.append(gradient)
                owners.append(owner)
            said = parameter.__dict__
            if said:  # by Opacus: of each sample, and the sum of those, clipped
                found = []
                tensors_in(self.torch, said.get("grad_sample"), found)
                samples += found
                of += [owner] * len(found)
                found = []
                tensors_in(self.torch, said.get("summed_grad"), found)
                gradients += found
                owners += [owner] * len(found)
        self.sampled = bool(samples)
        self.tell_purpose(GRADIENTS, gradients, owners)
        self.tell_purpose(PER_SAMPLE, samples, of)

    # ---- optimisers

    def see_optimizers(self):
        before = {}

        def begins(this, args, kwargs):
            earlier = before[id(this)] = self.context[PHASE]
            # Of what it was called with the first is itself.
            self.closure = id(this) if any(map(callable, (*args[1:2], kwargs.get("closure")))) else None
            self.phase(OPTIMIZER_STEP)
            self.step_begins(this, earlier)

        def ends(this, *_):
            self.step_ends(this)
            self.closure = None
            earlier = before.pop(id(this), DATA)
            self.phase(earlier if earlier == BACKWARD else DATA)

        self.undo.append(hook(self.optimizer.register_optimizer_step_pre_hook, "purposes", begins))
        self.undo.append(hook(self.optimizer.register_optimizer_step_post_hook, "purposes", ends))
        if self.counted_here:
            self.counting.attach()

    def own_fresh(self, optimizer):
        """Parameters of no module that was called."""
        known = self.parameters
        fresh = [parameter for group in optimizer.param_groups for parameter in group["params"]
                 if id(parameter) not in known or known[id(parameter)][0]() is not parameter]
        self.own(fresh, [0] * len(fresh))
        return fresh

    @unnoticed
    def step_begins(self, optimizer, phase):
        user = types.SimpleNamespace(thread=threading.get_ident())
        for parameter in self.own_fresh(optimizer):
            self.parameters[id(parameter)] = (weakref.ref(parameter), 0, user)
            self.by_hand.add(optimizer)
        accumulated, self.accumulated = self.accumulated, False
        if phase == BACKWARD or not accumulated or self.sampled or optimizer in self.by_hand or optimizer not in self.states:
            self.own_gradients()

    @unnoticed
    def step_ends(self, optimizer):
        count = sum(map(len, optimizer.state.values()))
        if self.states.get(optimizer) == count:
            return
        # Some keep lists of tensors, and make others with each step.
        listed = any(isinstance(value, (list, tuple, dict)) for state in optimizer.state.values() for value in state.values())
        self.states[optimizer] = -1 if listed else count
        tensors, owners = [], []
        for parameter, state in optimizer.state.items():
            found = []
            tensors_in(self.torch, state, found)
            tensors += found
            owners += [self.parameters.get(id(parameter), (None, 0))[1]] * len(found)
        self.tell_purpose(STATES, tensors, owners)

    def step_is_over(self):
        self.steps += 1
        self.context[STEP] = self.steps
        self.probe.mark(probe.STEP_ENDS)

    def stepped(self):
        self.budget.limit_cards()
        self.step_is_over()
        self.due = bool(self.most) and self.steps >= self.most
        if self.due and self.context[PHASE] != BACKWARD:
            self.end()

    def end(self):
        from peakscope.shortcuts import Ended

        if not self.ending:
            self.ending = True
            raise Ended

    def finish(self):
        """The recording ends before the program does, which is again as it was."""
        self.leave(os.getpid())
        self.detach()

    def detach(self):
        self.over = True
        self.probe.close()
        atexit.unregister(self.leave)
        for undo in reversed(self.undo + self.counting.undo):
            undo()

    def leave(self, process):
        if os.getpid() != process:
            return
        self.probe.leave()
        error = getattr(sys, "last_value", None)  # that ended the program
        if isinstance(error, (MemoryError, RuntimeError)) and any(word in str(error) for word in ("out of memory", "allocate")):
            self.probe.tell("out_of_memory", type(error).__name__)
        if not self.counted_here:
            return
        if not self.ending:
            self.counting.at_end()
        self.probe.tell("optimizer_steps", self.counting.optimizer_steps)
        self.probe.tell("ended_by_steps", int(self.ending))
        for text in self.counting.warnings():
            self.probe.tell("warning", text)
        for name in ("transformers", "peft", "accelerate", "trl", "lightning", "opacus"):
            version = getattr(sys.modules.get(name), "__version__", None)
            if version:
                self.probe.tell(f"library {name}", version)


def attach(torch, counting=None):
    """What is attached; None: it can't be, and why was said."""
    path = os.path.join(os.environ["PEAKSCOPE_PROBE"], str(os.getpid()))
    try:
        attached = Attached(torch, path, int(os.environ["PEAKSCOPE_PROBE_FLAGS"]), counting)
        attached.begin()
        return attached
    except Exception as error:  # the program is not to notice
        why = str(error) if isinstance(error, probe.NotBuilt) else f"PyTorch {torch.__version__} does it in another way ({error})"
        sys.stderr.write(f"peakscope: {'components are inferred from stacks' if counting else 'not recorded'}: {why}\n")
        with contextlib.suppress(OSError), open(path + ".refused", "w", encoding="utf-8") as file:
            file.write(why)
        if os.environ.get("PEAKSCOPE_STRICT"):
            sys.stderr.flush()
            os._exit(2)
