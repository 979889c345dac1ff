# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands for a tensor whose values nobody knows: one number of its own, from which everything asked of it is computed.

A tensor is treated as if it had one element, so that answers agree: norm, sum, mean, maximum are that number, a comparison, isnan or
isfinite is true or false of it, y = a - b is not 0 and the dot product of g and -g is negative. Numbers lie between 0.5 and 2, each
tensor's its own; arithmetic carries them on, a cast keeps them below the largest number of a type. From one backward pass to the next
they fall by a tenth, as losses and gradients of a training do that goes well, so that line searches find what they look for; after thirteen
they begin anew. Three kinds of tensor say more: those whose elements are all the same, masks, of which a share is true, and random ones,
of which a comparison chooses the share that their distribution has, so that a loop that draws again what it rejects comes to an end.
"""
import math
import struct
import threading

from peakscope.contents import INTEGERS, WeakStorage
from peakscope.rules import EACH, MASK, RULES, Answer, base_name

MOST, FALL, PASSES = 1.9, 0.9, 13
APART = 0.05  # tensors of one pass differ by as much
NUMBERS = 1 << 19  # different ones in that range, each a float32
FLOAT32 = 3.4028234663852886e38


def number_of_its_own(count, epoch):
    """The numbers of a pass come in an order without a pattern."""
    mixed = count * 0x9E3779B1 & NUMBERS - 1
    mixed = (mixed ^ mixed >> 9) * 0x2C1B3C6D & NUMBERS - 1
    mixed ^= mixed >> 9
    return MOST * FALL ** ((epoch + 1) % PASSES) * (1 - APART * mixed / NUMBERS)


def rounded(value, dtype, torch):
    """The nearest number of that type that is finite."""
    if dtype in (torch.float32, torch.float64):
        value = min(max(value, -FLOAT32), FLOAT32) if dtype == torch.float32 else value
        return struct.unpack("f", struct.pack("f", value))[0] if dtype == torch.float32 else value
    if dtype.is_floating_point:
        most = torch.finfo(dtype).max
        value = min(max(value, -most), most)
        if dtype == torch.float16:
            return struct.unpack("e", struct.pack("e", value))[0]
        if dtype == torch.bfloat16:  # the upper half of a float32, to the nearest even
            bits = struct.unpack("I", struct.pack("f", value))[0]
            bits = min(bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000, 0xFF7F0000 | bits & 0x80000000)
            return struct.unpack("f", struct.pack("I", bits))[0]
        return value
    if dtype.is_complex or dtype == torch.bool:
        return value
    try:
        limits = torch.iinfo(dtype)
    except TypeError:  # quantized, say
        return value
    return min(max(int(value), limits.min), limits.max)


class Held:
    __slots__ = ("weak", "answer", "version", "epoch")


class Answers:
    def __init__(self, contents):
        self.contents, self.torch = contents, contents.torch
        self.held = {}  # by where a storage's memory begins
        self.swept = 256
        self.made = 0
        self.thread = threading.local()

    def lies_somewhere(self, tensor):
        """Those of compilers and of functorch don't, nor do sparse ones in one place."""
        return type(tensor) in self.contents.plain and tensor.layout is self.torch.strided and not self.contents.wrapped(tensor)

    # ---- of a tensor

    def of(self, tensor):
        if not self.lies_somewhere(tensor):
            return Answer(1.0)
        if not tensor.is_cuda:
            return self.of_values(tensor) if tensor.device.type == "cpu" and tensor.numel() <= 1024 else self.fresh(tensor)
        found = self.contents.read(tensor) if self.contents.small(tensor) else None
        if found:
            return self.of_values(found[0])
        held = self.held.get(self.contents.place(tensor))
        if held and held.weak.alive() and self.contents.current(held, tensor):
            return held.answer
        answer = self.fresh(tensor)
        self.keep(tensor, answer)
        return answer

    def of_values(self, host):
        """Of a tensor whose values are known."""
        if host.numel() == 0:
            return Answer(0.0)
        host = host.detach()
        if host.is_complex():
            host = host.real
        mean = float(host.double().mean())
        if host.dtype == self.torch.bool:
            return Answer(mean, MASK)
        if not math.isfinite(mean):
            mean = min(max(mean, -FLOAT32), FLOAT32) if mean == mean else 1.0
        return Answer(mean, EACH if host.numel() == 1 else None)

    def fresh(self, tensor):
        """A flag is true, a whole number 0: no size follows from what nobody knows."""
        dtype = tensor.dtype
        if dtype == self.torch.bool:
            return Answer(1.0, MASK)
        if not (dtype.is_floating_point or dtype.is_complex):
            return Answer(0)
        if self.of_gradients():  # the same each time, though it isn't kept
            number = number_of_its_own(self.contents.place(tensor) >> 9, self.contents.epoch)
        else:
            number = self.number_of_its_own()
        return Answer(rounded(number, dtype, self.torch))

    def of_gradients(self):
        """Whether what is made here may be a gradient on its way: a Python object of its storage would keep autograd from adding to it
        in place."""
        return getattr(self.thread, "gradients", False)

    def number_of_its_own(self):
        self.made += 1
        return number_of_its_own(self.made, self.contents.epoch)

    # ---- kept for a tensor

    def keep(self, tensor, answer):
        count = tensor.numel()
        if not count or not tensor.is_cuda or not self.lies_somewhere(tensor):
            return
        if count > 1 and tensor.is_floating_point() and self.of_gradients():
            return
        storage = tensor.untyped_storage()
        place = self.contents.place(tensor)
        held = self.held.get(place)
        if held is None or not held.weak.alive():
            if len(self.held) > self.swept:
                self.held = {key: each for key, each in self.held.items() if each.weak.alive()}
                self.swept = max(256, 2 * len(self.held))
            held = self.held[place] = Held()
            held.weak = WeakStorage(self.torch, storage)
        elif count * tensor.element_size() < storage.nbytes():  # a part of it is written
            answer = Answer(answer.value) if answer.value and answer.law != MASK else self.fresh(tensor)
        held.answer = answer
        self.contents.stamp(held, tensor)

    def forget(self, tensor):
        """It was written by what nobody follows."""
        if tensor.numel() and self.lies_somewhere(tensor):
            self.held.pop(self.contents.place(tensor), None)

    # ---- what operators make of them

    def rule(self, name):
        base, each = base_name(name)
        return (RULES[base], each) if base in RULES else None

    def given(self, args, kwargs):
        """What an operator is called with, asked before it is run."""
        return ([self.value(value) for value in args], {name: self.value(value) for name, value in kwargs.items()} if kwargs else None)

    def carry(self, rule, given, args, outs):
        """Keeps for what an operator made or wrote what follows from what it was given."""
        rule, each = rule
        values, named = given
        if each:
            for index, out in enumerate(outs):
                own = [value[index] if type(value) is list and len(value) == len(outs) else value for value in values]
                self.keep_all(self.followed(rule, own, named, (args[0][index].numel(), out.numel())), (out,))
        elif outs:
            first = args[0] if args else None
            first = first[0] if type(first) in (list, tuple) and first else first
            counts = first.numel() if self.torch.is_tensor(first) else 0, outs[0].numel()
            self.keep_all(self.followed(rule, values, named, counts), outs)

    @staticmethod
    def followed(rule, values, named, counts):
        """What a rule gives; None, too, for an overload that it does not know."""
        try:
            return rule(values, named, counts)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None

    def keep_all(self, answers, outs):
        for index, out in enumerate(outs):
            answer = answers if type(answers) is not tuple else answers[index] if index < len(answers) else None
            if answer is None:
                self.forget(out)
            else:
                self.keep(out, self.fitted(answer, out))

    def fitted(self, answer, out):
        if answer.value is None:  # random
            answer.value = answer.law.at(self.number_of_its_own())
        dtype, value = out.dtype, answer.value
        if dtype == self.torch.bool:
            return answer if answer.law == MASK else Answer(float(value != 0), MASK)
        if answer.law == MASK:
            return answer
        if value != value:
            return self.fresh(out)
        value = rounded(value, dtype, self.torch)
        return answer if value == answer.value else Answer(value, answer.law)

    def value(self, value):
        if self.torch.is_tensor(value):
            return self.of(value)
        return [self.of(one) if self.torch.is_tensor(one) else one for one in value] if type(value) in (list, tuple) else value

    # ---- read by the host

    def number(self, tensor):
        """What `item()` gives."""
        answer = self.of(tensor)
        if tensor.dtype == self.torch.bool:
            return answer.value >= 0.5
        if not (tensor.is_floating_point() or tensor.is_complex()):
            return int(round(answer.value))
        return rounded(answer.value, tensor.dtype, self.torch)

    def trues(self, tensor):
        """How many of its elements are not zero."""
        answer = self.of(tensor)
        return round(tensor.numel() * (answer.value if answer.law == MASK else float(answer.value != 0)))

    def fill(self, out, tensor):
        """A copy on the host."""
        answer = self.of(tensor)
        if answer.law == MASK and 0 < answer.value < 1:
            out.copy_(self.torch.rand(out.size(), generator=self.contents.own, device="cpu") < answer.value)
        else:
            out.fill_(self.number(tensor))

    def same(self, one, other):
        if one.size() != other.size():
            return False
        return self.of(one).value == self.of(other).value

    def places_of_trues(self, tensor):
        """Where a mask's true elements are taken to lie: spread evenly. None: too many to tell."""
        count, trues = tensor.numel(), self.trues(tensor)
        if count > INTEGERS:
            return None
        flat = self.torch.arange(trues, dtype=self.torch.int64, device="cpu") * count // max(trues, 1)
        return self.torch.stack(self.torch.unravel_index(flat, tensor.size()), -1) if tensor.dim() else flat.new_zeros((trues, 0))
