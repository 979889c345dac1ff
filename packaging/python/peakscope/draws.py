# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other rows of a program's data than a short run comes to, where rows differ in length: what its loaders of PyTorch give.

PEAKSCOPE_DRAW asks for them: "skip=N", each loader begins N batches later, as after so much of a longer run; "longest", every other
batch is of the longest rows, so that they come before and after others, once an optimiser has its states. Empty: nothing is changed,
and only batches are counted.
"""
import heapq
import os
from collections.abc import Mapping

from peakscope.after import OneMore

ROWS = 20_000  # are looked at; reading them may be work
FEW = 1_000  # of one length: the others will be, too


def parts_of(row):
    """Lengths of what a row is made of: in tokens, or letters where they become tokens later."""
    if isinstance(row, (str, bytes)):
        yield len(row)
    elif isinstance(row, Mapping):
        for part in row.values():
            yield from parts_of(part)
    elif hasattr(row, "shape"):
        yield row.shape[0] if len(row.shape) else 0
    elif isinstance(row, (list, tuple)):
        if row and isinstance(row[0], (int, float)):
            yield len(row)
        else:
            for part in row:
                yield from parts_of(part)


def longest_rows(rows, most):
    """Which are the longest, at most so many, the longest first, and the length of that; nothing where they don't differ."""
    lengths, longest = [], []
    for index in range(min(len(rows), ROWS)):
        parts = list(parts_of(rows[index]))
        lengths.append(sum(parts))
        longest.append(max(parts, default=0))
        if index + 1 == FEW and len(set(lengths)) == 1:
            break
    if len(set(lengths)) < 2:
        return [], 0
    found = heapq.nlargest(most, range(len(lengths)), key=lengths.__getitem__)
    return found, longest[found[0]]


class Drawn:
    """The sampler of a loader."""

    def __init__(self, sampler, draws, rows):
        self.sampler, self.draws, self.rows = sampler, draws, rows

    def __len__(self):
        return len(self.sampler)

    def __getattr__(self, name):
        return getattr(self.sampler, name)

    def longest(self, most):
        try:
            rows, self.draws.longest = longest_rows(self.rows, most)
        except Exception:  # rows that can't be had one by one: the program's affair
            return []
        return rows

    def __iter__(self):
        chosen = None
        for index, batch in enumerate(self.sampler):
            self.draws.batches += 1
            if self.rows is not None and index % 2 and isinstance(batch, (list, tuple)):
                if chosen is None:
                    chosen = self.longest(len(batch))
                batch = chosen[:len(batch)] or batch
            yield batch


class Draws:
    def __init__(self, after):
        self.after = after
        wanted = os.environ.get("PEAKSCOPE_DRAW", "")
        self.skip = int(wanted.removeprefix("skip=")) if wanted.startswith("skip=") else 0
        self.wants_longest = wanted == "longest"
        self.batches, self.longest = 0, 0

    def attach(self, module):
        loader, plain = module.DataLoader, module.BatchSampler
        given = getattr(loader, "_index_sampler", None)
        if not isinstance(given, property):
            return  # of a PyTorch that does it in another way: batches are not counted, and nothing is drawn
        begin = loader.__iter__

        def sampler_of(this):
            sampler = given.fget(this)
            # What makes batches by a rule of its own, so many tokens say, may not have so many long rows in one.
            known = type(sampler) is plain or type(sampler).__module__.startswith("accelerate.")
            return Drawn(sampler, self, this.dataset if self.wants_longest and known and hasattr(this.dataset, "__getitem__")
                         and hasattr(this.dataset, "__len__") else None)

        def iterate(this):
            batches = begin(this)
            if self.skip and not this.__dict__.get("_peakscope_begun"):
                this.__dict__["_peakscope_begun"] = True
                for _ in range(self.skip):
                    try:
                        next(batches)
                    except StopIteration:
                        batches = begin(this)  # the next epoch
            return OneMore(batches, self.after) if self.after.wanted else batches

        loader._index_sampler, loader.__iter__ = property(sampler_of), iterate
