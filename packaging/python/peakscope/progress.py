# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says how far a program is to whoever listens: a line of JSON, a few times a second where something changed, at the end of the
file that PEAKSCOPE_TELL names.

A thread says it. Python collects garbage by how many containers all threads have made, and garbage may hold memory of the card:
so that it is freed at the same moment with and without a listener, this thread makes no container (no list, tuple, dict, closure).
It asks the stand-in what is taken of the card; the allocator is asked at each step of an optimiser, in the program's own thread,
whether somebody listens or not."""
import _thread
import ctypes
import gc
import os
import time

PAUSE = 0.2  # seconds
KEPT = 1000  # steps


class Progress:
    def __init__(self, recorder):
        self.recorder, self.file = recorder, os.environ.get("PEAKSCOPE_TELL")
        self.allocated = self.most_allocated = self.most_reserved = 0
        self.requested = []  # bytes in all, after each step
        stand_in = ctypes.PyDLL(None)
        self.taken, self.most_taken = stand_in.peakscope_taken, stand_in.peakscope_most_taken
        self.taken.restype = self.most_taken.restype = ctypes.c_uint64
        self.run = self.tell
        if self.file:
            # Not by threading, whose list of threads a program may look through. A fork has no such thread and so says nothing.
            # What a thread's beginning makes is made before Python's count begins anew.
            self.begun = _thread.allocate_lock()
            self.begun.acquire()
            _thread.start_new_thread(self.run, ())
            self.begun.acquire()

    def stepped(self):
        # The answer is gone before Python would count what it is made of.
        collects = gc.isenabled()
        gc.disable()
        try:
            self.take(self.recorder.torch.cuda.memory_stats_as_nested_dict())
        finally:
            if collects:
                gc.enable()

    def take(self, stats):
        if len(self.requested) < KEPT:
            self.requested.append(stats["requested_bytes"]["all"]["allocated"])
        allocated, reserved = stats["allocated_bytes"]["all"], stats["reserved_bytes"]["all"]
        self.allocated = allocated["current"]
        # A program may set the allocator's own back.
        self.most_allocated = max(self.most_allocated, allocated["peak"])
        self.most_reserved = max(self.most_reserved, reserved["peak"])

    def tell(self):
        before = b""
        self.begun.release()
        try:
            while not self.recorder.written:
                time.sleep(PAUSE)
                now = self.line().encode()
                if now != before:
                    self.write(now)
                    before = now
        except OSError:
            return  # nobody listens any more: the program is not to notice

    def write(self, line):
        file = os.open(self.file, os.O_WRONLY | os.O_APPEND)
        os.write(file, line)
        os.close(file)

    def last(self):
        """How far the program was when it ended, however short it ran."""
        if self.file:
            try:
                self.write(self.line().encode())
            except OSError:
                pass

    def line(self):
        most = self.most_taken()
        if most < self.most_reserved:
            most = self.most_reserved
        return (f'{{"process":{self.recorder.process},"steps":{self.recorder.steps},"of":{self.recorder.most},'
                f'"allocated_bytes":{self.allocated},"reserved_bytes":{self.taken()},'
                f'"peak_allocated_bytes":{self.most_allocated},"peak_reserved_bytes":{most}}}\n')
