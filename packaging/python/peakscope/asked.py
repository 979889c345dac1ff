# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program asked of the card that nobody can know: how often, at which line, and what it was answered."""
import sys

from peakscope.places import line_of, place_of, program_frame


class Asked:
    MANY = 1000  # times at one line since the last step

    def __init__(self):
        self.times, self.range, self.since, self.told = {}, {}, {}, set()

    def note(self, what, asking, answer):
        frame = program_frame(asking)
        place = f"{what} at {place_of(frame)}" if frame else what
        flag = isinstance(answer, bool)
        key = f"{place}: {'true' if answer else 'false'}" if flag else place
        self.times[key] = self.times.get(key, 0) + 1
        if not flag and isinstance(answer, (int, float)):
            low, high = self.range.get(key, (answer, answer))
            self.range[key] = min(low, answer), max(high, answer)
        line = line_of(asking)  # a library's: a loop of the program's over many tensors is none that waits
        self.since[line] = self.since.get(line, 0) + 1
        if self.since[line] == self.MANY and place not in self.told:
            self.told.add(place)
            sys.stderr.write(f"peakscope: {place} was called {self.MANY:,} times within one step, and its result cannot be computed ({self.said(key)}). "
                             "A loop that waits for another result never ends; Ctrl+C ends it\n")
            sys.stderr.flush()

    def stepped(self):
        self.since.clear()

    def said(self, key):
        if key not in self.range:
            return key.rpartition(": ")[2]
        low, high = (f"{value:.4g}" for value in self.range[key])
        return low if low == high else f"{low} to {high}"

    def result(self):
        """How often, by operator, line and answer."""
        return {f"{key}: {self.said(key)}" if key in self.range else key: times for key, times in self.times.items()}
