# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that does not show in when Python collects garbage, which it does after so many new containers. Garbage may hold memory of the
card, so that a program would hold other bytes where something else makes containers, too."""
import gc


class Counted:
    """A container in Python's count, and not one of those that Python keeps to use again."""
    __slots__ = ("__weakref__",)


class UncountedContainers:
    """While it is entered Python collects no garbage, and afterwards its count of new containers is what it was: what was made is made up
    for by as many older ones that end."""

    def __init__(self):
        self.older, self.depth, self.collects, self.before = [Counted() for _ in range(4096)], 0, False, 0

    def __enter__(self):
        self.depth += 1
        if self.depth == 1:
            self.collects = gc.isenabled()
            gc.disable()
            self.before = gc.get_count()[0]

    def __exit__(self, *_):
        self.depth -= 1
        if self.depth:
            return
        older = self.older
        while older and gc.get_count()[0] > self.before:
            older.pop()
        while gc.get_count()[0] < self.before:
            older.append(Counted())
        if self.collects:
            gc.enable()
