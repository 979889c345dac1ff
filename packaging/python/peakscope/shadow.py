# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What small tensors on the stand-in hold, where the host can know it.

Kernels do nothing, so a mask, a count of tokens or a scale would read back as a fixed answer. Operators on small integer, boolean and
tiny float tensors are therefore run on the host too, on copies of the contents that are kept for each storage while it lives.
They are seen at a dispatch key of PyTorch's that is above autograd and that nothing else uses, so that what is not handled
here costs little and no operator chooses another way than on a card (a dispatch mode would make it choose). What nobody can know is
answered by a number that stands for it (answers.py).
"""
import ctypes
import importlib
import re
import sys
import threading

from peakscope import rules
from peakscope.answers import Answers
from peakscope.asked import Asked
from peakscope.calls import COPIES, Call, Host, Operator, tensors_of
from peakscope.contents import FLOATS, GUESSED, INTEGERS, UNKNOWN, Contents
from peakscope.imports import once_imported
from peakscope.rules import Answer

KEY = "TESTING_ONLY_GenericMode"
BACKWARD = "TESTING_ONLY_GenericWrapper"  # another such key, for what autograd's own backward pass calls

# No contents are made or taken: memory, views, metadata.
PASSED = {
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "empty_quantized", "record_stream",
    "detach", "detach_", "alias", "lift", "lift_fresh", "_unsafe_view", "_reshape_alias", "set_", "resize_as_",
    "as_strided_", "t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "requires_grad_", "_backward",
    "set_data", "retain_grad", "_fw_primal", "_make_dual", "is_pinned", "_pin_memory", "pin_memory", "_has_same_storage_numel",
    "_sparse_coo_tensor_unsafe", "_nested_view_from_buffer", "_nested_view_from_jagged", "_nested_get_values",
    "_assert_async", "_async_error",
}
# Whose results are floats as large as what they work on, or that have no host's counterpart.
HEAVY = ("mm", "conv", "attention", "layer_norm", "group_norm", "batch_norm", "rms_norm", "dropout", "embedding_bag", "lstm",
         "gru", "rnn", "linalg_", "fft", "pool", "upsample", "grid_sampler", "_backward", "cudnn", "miopen", "mkldnn",
         "quantize", "sparse", "ctc", "softmax", "cdist", "svd", "lu_", "cholesky", "triangular")
# What is known afterwards where it was written, whatever was there before.
PARTIAL = {"scatter_", "index_put_", "_index_put_impl_", "index_copy_", "index_fill_", "masked_fill_", "masked_scatter_", "put_"}
# What is seen in a backward pass, too, where only hooks of a program call it.
ASKED = {"_local_scalar_dense", "equal", "any", "all", *rules.COMPARISONS, *rules.CERTAIN,
         "logical_not", "logical_and", "logical_or", "logical_xor", "norm", "linalg_vector_norm", "amax", "amin", "count_nonzero"}
# What looks for the places of a mask, and so has a size that only its contents tell.
MASKED = {"nonzero", "masked_select", "index", "index_put", "index_put_", "_index_put_impl_"}
# On lists, as optimisers call them: what is not known stays unknown, and what a list's tensors are mixed with makes them so.
KEPT_UNKNOWN = {"_foreach_add_", "_foreach_sub_", "_foreach_mul_", "_foreach_div_", "_foreach_neg_", "_foreach_sqrt", "_foreach_sqrt_"}
MIXED = {"_foreach_lerp_", "_foreach_addcmul_", "_foreach_addcdiv_"}
MANY = 64  # tensors: states of a model, of which nobody asks one by one
VIEW = re.compile(r"Tensor\([^!)]+\)")  # among what is returned, as a schema says it: "Tensor(a)", "Tensor(a)[]"


class StandIn:
    """What the stand-in in this process is told of reads to come."""

    def __init__(self):
        self.process = ctypes.PyDLL(None)

    def hear(self, call, answers=()):
        """Runs a call whose reads are told of here, not counted there; its first reads of whole numbers get these answers."""
        self.process.peakscope_answers((ctypes.c_int64 * len(answers))(*answers), len(answers))
        self.process.peakscope_hush(1)
        try:
            return call.real()
        finally:
            self.process.peakscope_hush(0)
            self.process.peakscope_answers(None, 0)


class Shadows(Contents):
    def __init__(self, torch, stand_in, hushed=lambda: False):
        super().__init__(torch)
        self.stand_in = stand_in
        self.asked, self.hushed = Asked(), hushed  # hushed: what is read now is no question of the program's
        self.backward_runs = 0  # within one another
        self.answers = Answers(self)
        self.lists = KEPT_UNKNOWN | MIXED
        self.own = torch.Generator()
        self.own.manual_seed(1)
        self.below = torch._C._ExcludeDispatchKeyGuard
        self.keys = [torch._C._parse_dispatch_key(key) for key in (KEY, BACKWARD)]
        self.ours = torch._C.DispatchKeySet(self.keys[0]) | torch._C.DispatchKeySet(self.keys[1])
        self.wrapped = torch._C._functorch.is_functorch_wrapped_tensor
        self.special = {
            "_local_scalar_dense": self.scalar, "equal": self.equal, "nonzero": self.nonzero, "masked_select": self.masked,
            "index": self.masked, "index_put": self.masked, "index_put_": self.masked, "_index_put_impl_": self.masked,
            "_unique": self.unique, "_unique2": self.unique, "unique_dim": self.unique, "unique_consecutive": self.unique,
            "unique_dim_consecutive": self.unique, "bincount": self.bincount, "repeat_interleave": self.repeats,
            "topk": self.order, "sort": self.order, "argsort": self.order, "argmax": self.order, "argmin": self.order,
            "max": self.order, "min": self.order, "multinomial": self.order,
            "_amp_foreach_non_finite_check_and_unscale_": self.unscaled, "resize_": self.resized,
        }

    # ---- attached to PyTorch

    def attach(self, backward_begins=lambda: None, backward_is_over=lambda: None):
        from torch import library as registry

        torch = self.torch
        every, aten, backward = (registry.Library(*words) for words in (
            ("_", "IMPL"), ("aten", "IMPL", KEY), ("aten", "IMPL", BACKWARD)))
        every.fallback(registry.fallthrough_kernel, KEY)
        every.fallback(registry.fallthrough_kernel, BACKWARD)
        self.registered = [every, aten, backward]  # as long as they live
        for full in torch._C._dispatch_get_all_op_names():
            if not full.startswith("aten::") or torch._C._dispatch_has_kernel_for_dispatch_key(full, "CompositeImplicitAutograd"):
                continue
            name, _, overload = full[6:].partition(".")
            if name in PASSED or name.startswith(("sym_", "_cudnn", "_test", "_nested", "_sparse")) and not name.endswith("_"):
                continue
            try:
                schema = str(torch._C._get_schema(f"aten::{name}", overload))
            except RuntimeError:
                continue  # not for Python
            written, views = "!" in schema, VIEW.search(schema.rpartition("->")[2])
            if not written and (views or name != "linalg_vector_norm" and any(part in name for part in HEAVY)):
                continue
            kernel = self.kernel(name, overload)
            aten.impl(full[6:], kernel, with_keyset=True)
            if name in MASKED or name in ASKED:
                backward.impl(full[6:], kernel, with_keyset=True)
        self.see_python(torch, backward_begins, backward_is_over)

    def see_python(self, torch, backward_begins, backward_is_over):
        """Operators are seen where Python calls them, in this thread and those to come. Of autograd's own backward pass only
        those that look into a mask: it adds gradients in place only where nothing else holds them, as a Python object of them
        would."""
        run = threading.Thread.run

        def run_seen(thread):
            with Seen(self, True):
                run(thread)

        threading.Thread.run = run_seen
        graph, backward = torch.autograd.graph, torch.autograd.graph._engine_run_backward

        def run_backward(*args, **kwargs):
            outermost = not self.backward_runs
            if outermost:
                backward_begins()
            self.epoch += 1
            self.backward_runs += 1
            try:
                with Seen(self, False, True):
                    result = backward(*args, **kwargs)
            finally:
                self.backward_runs -= 1
            if outermost:
                backward_is_over()
            return result

        graph._engine_run_backward = torch.autograd._engine_run_backward = run_backward
        self.pass_on(importlib.import_module("torch._ops"))
        node, function = torch.autograd.function.BackwardCFunction, torch.autograd.function.Function
        forward_of = function.__dict__["apply"]

        def seen(backward):
            def backward_seen(node, *args):
                with Seen(self, True, True):
                    return backward(node, *args)

            return backward_seen

        def forward_seen(kind, *args, **kwargs):  # which may make gradients, as fused losses do
            with Seen(self, None, True):
                return forward_of.__get__(None, kind)(*args, **kwargs)

        function.apply = classmethod(forward_seen)
        for name in {"apply", "apply_boxed"} & set(node.__dict__):
            setattr(node, name, seen(node.__dict__[name]))
        self.see_large_numbers(torch)
        once_imported("torch.utils.checkpoint", self.see_repeated)
        once_imported("torch.optim.lbfgs", self.see_line_search)
        torch._C._dispatch_tls_set_dispatch_key_included(KEY, True)

    @staticmethod
    def see_large_numbers(torch):
        """Before PyTorch 2.9 an operator that Python calls gives no whole number above 2^63, as seeds of 64 bits are."""
        try:
            torch.ops.aten._local_scalar_dense(torch.tensor(-1, device="cpu").view(torch.uint64))
        except RuntimeError:
            item = torch.Tensor.item

            def item_seen(tensor):
                if tensor.dtype is torch.uint64:
                    return item(tensor.view(torch.int64)) % (1 << 64)
                return item(tensor)

            torch.Tensor.item = item_seen

    def see_repeated(self, checkpoint):
        begin, shadows = checkpoint._CheckpointFrame.__init__, self

        def begin_seen(self, recompute, *args, **kwargs):
            def recompute_seen(*inputs):
                with Seen(shadows, True):
                    return recompute(*inputs)

            begin(self, recompute_seen, *args, **kwargs)

        checkpoint._CheckpointFrame.__init__ = begin_seen

    def see_line_search(self, lbfgs):
        """LBFGS's line search finds the loss and the gradient of a quadratic on its way to the minimum, half of it with each try."""
        search, answers = lbfgs._strong_wolfe, self.answers

        def search_seen(evaluate, x, t, d, f, g, gtd, *args, **kwargs):
            def evaluate_seen(x, t, d):
                loss, gradient = evaluate(x, t, d)
                if not gradient.is_cuda:
                    return loss, gradient
                answers.keep(gradient, Answer(answers.of(g).value / 2))
                return f + answers.of(gtd).value * float(t) / 2, gradient

            return search(evaluate_seen, x, t, d, f, g, gtd, *args, **kwargs)

        lbfgs._strong_wolfe = search_seen

    def pass_on(self, ops):
        """Operators on functions look their kernels up in Python, by the same keys: for them, ours are not there."""
        begin = ops.HigherOrderOperator.__init__

        def without(op):
            for key in self.keys:
                op.non_fallthrough_keys = op.non_fallthrough_keys.remove(key)

        def begin_without(op, *args, **kwargs):
            begin(op, *args, **kwargs)
            without(op)

        for op in ops._higher_order_ops.values():
            without(op)
        ops.HigherOrderOperator.__init__ = begin_without

    def kernel(self, name, overload):
        operator, plain, wrapped, strided = None, self.plain, self.wrapped, self.torch.strided

        def run(keyset, *args, **kwargs):
            nonlocal operator
            with self.below(self.ours):
                if operator is None:
                    operator = Operator(self, name, overload)
                first = args[0] if operator.quick and args else None
                if (type(first) in plain and first.is_cuda and first.is_floating_point() and first.numel() > FLOATS
                        and first.layout is strided and not wrapped(first) and not (operator.written and self.place(first) in self.places)):
                    return self.carried(operator, args, kwargs)
                if operator.listed and len(first := args[0]) >= MANY and self.stays_unknown(operator, first, args):
                    return operator.op(*args, **kwargs)
                call = Call(self, operator, args, kwargs)
                if not call.foreign:
                    return operator.handle(call)
                # A number in a tensor's place is taken by a call, not by going on below.
                if any(index < len(args) and isinstance(args[index], (int, float, complex)) for index in operator.tensors):
                    return call.real()
            # Of another kind of tensor: what becomes of it below comes here again.
            return operator.op.redispatch(keyset.remove(self.keys[0]).remove(self.keys[1]), *args, **kwargs)

        return run

    def stays_unknown(self, operator, tensors, args):
        """Whether nothing is known, or will be, of a long list of tensors on the card: following each takes longer than the step."""
        if not all(type(tensor) in self.plain and tensor.is_cuda and not self.wrapped(tensor) for tensor in tensors):
            return False
        if operator.name in MIXED:
            for tensor in tensors:
                place = self.place(tensor)
                self.answers.held.pop(place, None)
                if place in self.places:
                    self.forget(tensor)
            return True
        if len(args) > 1 and isinstance(args[1], (int, float)) and args[1] == 0:
            return False
        return not any(self.known(tensor) for tensor in tensors)

    def known(self, tensor):
        held = self.answers.held.get(self.place(tensor))
        return bool(held and held.weak.alive() or self.place(tensor) in self.places and self.small(tensor) and self.read(tensor))

    def carried(self, operator, args, kwargs):
        """An operator on a large float."""
        if operator.rule is None:
            if operator.written:
                self.answers.forget(args[0])
            return operator.op(*args, **kwargs)
        given = self.answers.given(args, kwargs)
        result = operator.op(*args, **kwargs)
        self.answers.carry(operator.rule, given, args, tensors_of(result))
        return result

    def count(self, what, answer):
        if not self.hushed():
            self.asked.note(what, sys._getframe(1), answer)

    # ---- operators

    def general(self, call, answers=None):
        heard = call.cuda and (answers is not None or call.name in COPIES)
        host = call.on_host() if call.written and call.cuda and call.known else None
        given = self.answers.given(call.args, call.kwargs) if call.cuda and call.rule and not (host or call.known) else None
        parts = [call.on_host(filling) for filling in (0, 85)] if not host and call.rest and call.name in PARTIAL else ()
        result = self.stand_in.hear(call, answers or ()) if heard else call.real()
        outs = [tensor for _, _, tensor in call.targets()] if call.written else tensors_of(result)
        if not outs or not (call.cuda or any(out.is_cuda for out in outs)):
            return result
        if call.written:
            values = [host.of(name, place) for name, place, _ in call.targets()] if host else ()
        else:
            host = call.on_host() if call.known and all(self.small(out) for out in outs) else None
            values = tensors_of(host.result) if host else ()
        known = len(values) == len(outs)
        for place, out in enumerate(outs):
            self.put(out, values[place] if known else None, call)
        if parts and all(parts):
            for name, place, tensor in call.targets():
                self.put_parts(tensor, parts[0].of(name, place), parts[1].of(name, place), call)
        elif call.rule and not known and outs[0].is_cuda:
            self.answers.carry(call.rule, given or self.answers.given(call.args, call.kwargs), call.args, outs)
        return result

    def put(self, out, value, call):
        """Where a result goes: known contents, or none."""
        known = value is not None and value.size() == out.size()
        if out.is_cuda:
            if known and self.small(out):
                self.write(out, value, call.state)
            else:
                self.forget(out)
        elif call.cuda:  # read back by the host
            if known:
                out.copy_(value)
            elif out.numel() <= INTEGERS:
                self.answers.fill(out, call.first)
            if not known or call.state == GUESSED:
                self.count(call.name, out.item() if out.numel() == 1 else None)

    def forget(self, tensor):
        super().forget(tensor)
        if tensor.numel():
            self.answers.forget(tensor)

    def put_parts(self, out, one, other, call):
        """What came out alike from two fillings of what was not known."""
        self.put(out, one, call)
        contents = self.contents(out)
        if contents:
            self.mark(out, contents, UNKNOWN)
            if isinstance(contents.state, int):
                contents.state = self.torch.full((contents.bytes,), contents.state, dtype=self.torch.uint8, device="cpu")
            self.state_bytes(out, contents.state).copy_((one == other).unsqueeze(-1) * call.state)

    def scalar(self, call):
        if not call.cuda:
            return call.real()
        host = call.on_host() if call.known else None
        answer = host.result if host else self.answers.number(call.first)
        above = type(answer) is int and answer >= 1 << 63  # no number that PyTorch takes from Python, but one that it reads
        read = self.stand_in.hear(call, [answer - (1 << 64)] if above else ())
        if not host or call.state == GUESSED:
            self.count("item", answer)
        return read if above else answer

    def equal(self, call):
        if not call.cuda:
            return call.real()
        self.stand_in.hear(call)
        host = call.on_host() if call.known else None
        answer = host.result if host else self.answers.same(*call.device[:2]) if len(call.device) > 1 else False
        if not host or call.state == GUESSED:
            self.count("equal", answer)
        return answer

    def counted(self, call, host, answers):
        """The operator finds these sizes where it reads back its own counts."""
        result = self.stand_in.hear(call, answers)
        outs = tensors_of(result)
        values = tensors_of(host.result) if host else ()
        for number, out in enumerate(outs):
            known = number < len(values) and self.small(out) and (call.known or call.state == GUESSED)
            self.put(out, values[number] if known else None, call)
        return result

    def nonzero(self, call):
        if not call.cuda:
            return call.real()
        host = call.on_host() if call.known else None
        if host is None:
            trues = self.answers.trues(call.first)
            self.count("nonzero", trues)
            call.state = GUESSED
            places = self.answers.places_of_trues(call.first)
            return self.counted(call, None if places is None else Host(places), [trues])
        if call.state == GUESSED:
            self.count("nonzero", len(host.result))
        return self.counted(call, host, [len(host.result)])

    def masked(self, call):
        """Indices that are masks are looked for one by one."""
        masks = [tensor for tensor in call.device[1:]
                 if tensor.dtype in (self.torch.bool, self.torch.uint8)]
        if not masks:
            return self.general(call)
        answers = []
        for mask in masks:
            found = self.read(mask) if self.small(mask) else None
            answers.append(int(found[0].count_nonzero()) if found else self.answers.trues(mask))
            if found is None or found[1] == GUESSED:
                self.count(call.name, answers[-1])
        return self.general(call, answers)

    def unique(self, call):
        if not call.cuda:
            return call.real()
        if not call.known:
            self.count("unique", 1)
            return self.counted(call, None, [1] * 4)
        host = call.on_host()
        if host is None:
            return self.general(call)
        dimension = 0 if call.name in ("_unique", "_unique2", "unique_consecutive") else call.value("dim", 0)
        return self.counted(call, host, [host.result[0].size(dimension)] * 4)

    def bincount(self, call):
        if not call.cuda:
            return call.real()
        if not call.known:
            self.count("bincount", 0)
            return call.real()
        values = self.read(call.first)[0]
        ends = [int(values.min()), int(values.max())] if values.numel() else [0, 0]
        return self.counted(call, call.on_host(), ends)

    def repeats(self, call):
        if not call.cuda:
            return call.real()
        repeats = call.value("repeats")
        found = self.read(repeats) if self.torch.is_tensor(repeats) and self.small(repeats) else None
        if found is None:
            self.count("repeat_interleave", 0)
        return self.counted(call, call.on_host() if call.known else None, [int(found[0].sum())] if found else [])

    def order(self, call):
        """Places in an order that nobody knows: spread evenly, so that no expert of a mixture gets all tokens."""
        result = self.general(call)
        if call.known or not call.cuda or call.written:
            return result
        outs = tensors_of(result)
        places = outs[-1]
        if places.dtype != self.torch.int64 or not self.small(places) or not call.first.dim():
            return result
        dimension = call.value("dim", -1)
        dimension = dimension if isinstance(dimension, int) else -1
        size = call.first.size(dimension)
        if call.name in ("argmax", "argmin", "max", "min") and (len(outs) == 1 and call.value("dim") is None):
            return result
        even = self.torch.arange(places.numel(), device="cpu") % max(size, 1)
        if places.dim() == call.first.dim():
            shape = list(places.size())
            shape.append(shape.pop(dimension))
            even = even.reshape(shape).movedim(-1, dimension)
        else:
            even = even.reshape(places.size())
        self.write(places, even, GUESSED)
        return result

    def resized(self, call):
        held = self.contents(call.first) if call.cuda else None
        result = call.real()
        if held:
            self.places[self.place(call.first)] = held
        return result

    def unscaled(self, call):
        """No gradient is infinite."""
        result = call.real()
        found = call.value("found_inf")
        held = self.read(found)
        self.write(found, held[0].clone() if held else self.torch.zeros(found.size(), device="cpu"), GUESSED)
        return result


class Seen:
    """Whether operators that this thread calls are seen, for a while; else those are that look into a mask or ask for an answer.
    None: as before. gradients: what they make may be a gradient on its way."""

    def __init__(self, shadows, seen, gradients=False):
        self.torch, self.thread, self.seen, self.gradients = shadows.torch, shadows.answers.thread, seen, gradients

    def __enter__(self):
        self.outside = getattr(self.thread, "gradients", False)
        self.thread.gradients = self.gradients
        self.before = [self.torch._C._dispatch_tls_is_dispatch_key_included(key) for key in (KEY, BACKWARD)]
        if self.seen is not None:
            self.include(self.seen, not self.seen)

    def __exit__(self, *_):
        self.thread.gradients = self.outside
        if self.seen is not None:
            self.include(*self.before)

    def include(self, *those):
        for key, included in zip((KEY, BACKWARD), those):
            self.torch._C._dispatch_tls_set_dispatch_key_included(key, included)
