# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What small tensors hold after a collective with peers that are not there: they are taken to hold what this rank holds. On the
CPU that is written, too, since groups there are made of nothing."""
import sys

from torch import library as registry

from peakscope.contents import KNOWN
from peakscope.places import place_of, program_frame
from peakscope.shadow import KEY


# Whole numbers that come of these, sizes of parts say, differ from rank to rank where a program has a use for them.
FROM_PEERS = {"alltoall_": "all_to_all", "alltoall_base_": "all_to_all_single", "recv_": "recv", "recv_any_source_": "recv"}


class Collectives:
    def __init__(self, shadows, torch):
        self.shadows, self.torch = shadows, torch
        self.taken = {}  # such calls, by name and place
        self.group_of = torch.distributed.ProcessGroup.unbox
        outcomes = {
            "allreduce_": self.reduced, "allreduce_coalesced_": self.reduced, "reduce_": self.reduced,
            "allgather_": self.gathered_lists, "allgather_coalesced_": self.gathered_lists, "gather_": self.gathered_lists,
            "_allgather_base_": self.gathered, "gather_into_tensor_": self.gathered,
            "allgather_into_tensor_coalesced_": self.each(self.gathered),
            "reduce_scatter_": self.scattered_lists, "scatter_": self.scattered_lists,
            "_reduce_scatter_base_": self.scattered, "reduce_scatter_tensor_coalesced_": self.each(self.scattered),
            "alltoall_": self.exchanged_lists, "alltoall_base_": self.exchanged,
            "recv_": self.received, "recv_any_source_": self.received,
        }
        self.registered = registry.Library("c10d", "IMPL", KEY)
        for name, outcome in outcomes.items():
            if packet := getattr(torch.ops.c10d, name, None):
                self.registered.impl(name, self.kernel(packet.default, outcome, FROM_PEERS.get(name)), with_keyset=True)

    def kernel(self, op, outcome, from_peers):
        names = [value.name for value in op._schema.arguments]
        place, sums = names.index("process_group"), names.index("reduce_op") if "reduce_op" in names else None

        def run(_, *args):
            with self.shadows.below(self.shadows.ours):
                group = self.group_of(args[place])
                self.size, self.rank = group.size(), group.rank()
                factor = self.size if sums is not None and self.is_sum(args[sums]) else 1
                made = [(out, value) for out, value in outcome(args, factor)]
                if from_peers and self.size > 1 and any(not out.is_floating_point() and self.shadows.small(out) for out, _ in made):
                    self.note(from_peers)
                result = op(*args)
                for out, value in made:
                    self.give(out, value)
                return result

        return run

    def note(self, call):
        frame = program_frame(sys._getframe(1))
        key = f"{call} at {place_of(frame)}" if frame else call
        self.taken[key] = self.taken.get(key, 0) + 1

    def is_sum(self, reduce_op):
        kind = self.torch.distributed.ReduceOp
        return kind.unbox(reduce_op) == kind.SUM if hasattr(kind, "unbox") else False

    # ---- contents: a tensor of the host's and its state, or nothing

    def held(self, tensor, change=lambda host: host):
        if not tensor.is_cuda:
            return change(tensor.detach().clone()), KNOWN
        found = self.shadows.read(tensor) if self.shadows.small(tensor) else None
        return found and (change(found[0].clone()), found[1])

    def give(self, tensor, found):
        if tensor.is_cuda:
            if found and self.shadows.small(tensor):
                self.shadows.write(tensor, found[0].view(tensor.size()), found[1])
            else:
                self.shadows.forget(tensor)
        elif found:
            tensor.detach().copy_(found[0].view(tensor.size()))

    # ---- what comes out, before it is known of what has gone in

    def reduced(self, args, factor):
        for tensor in args[0]:
            yield tensor, self.held(tensor, lambda host: host * factor if factor != 1 and host.dtype != self.torch.bool else host)

    def gathered_lists(self, args, _):
        for outs, tensor in zip(args[0], args[1]):
            for out in outs:
                yield out, self.held(tensor)

    def gathered(self, args, _):
        yield args[0], self.held(args[1], lambda host: self.torch.cat([host.flatten()] * self.size))

    def scattered_lists(self, args, factor):
        for out, tensors in zip(args[0], args[1]):
            yield out, self.held(tensors[self.rank], lambda host: host * factor)

    def scattered(self, args, factor):
        yield args[0], self.held(args[1], lambda host: host.flatten().chunk(self.size)[self.rank] * factor)

    def exchanged_lists(self, args, _):
        mine = args[1][self.rank]
        for out in args[0]:
            yield out, self.held(mine) if out.size() == mine.size() else None

    def exchanged(self, args, _):
        """Of equal parts; of others the recipient's counts would have to fit the sender's."""
        equal = not args[3] and not args[4] or len({*args[3], *args[4]}) == 1
        yield args[0], self.held(args[1], lambda host: self.torch.cat(
            [host.flatten().chunk(self.size)[self.rank]] * self.size)) if equal else None

    def received(self, args, _):
        for tensor in args[0]:
            yield tensor, None

    @staticmethod
    def each(outcome):
        def run(args, factor):
            for out, tensor in zip(args[0], args[1]):
                yield from outcome((out, tensor), factor)

        return run
