# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what a rank waits for that no other rank will ever do, since none runs beside it. Says it only: the program goes on.

It waits where for PEAKSCOPE_WAIT_SECONDS (60) nothing has been launched, and it and all that it has started have hardly used a
processor or read a disk, but for asking a store the same again and again and getting the same answer.
"""
import ctypes
import linecache
import os
import sys
import threading
import time

from peakscope.places import place_of, program_frame

IDLE = 0.03  # of a processor: threads that look now and then
TICKS = os.sysconf("SC_CLK_TCK")


class Watch:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        self.limit = float(os.environ.get("PEAKSCOPE_WAIT_SECONDS") or 60)
        self.store_process = os.environ.get("PEAKSCOPE_STORE_PROCESS")
        process = ctypes.CDLL(None)
        self.launches = process.peakscope_launches if hasattr(process, "peakscope_launches") else lambda: 0
        self.main = threading.main_thread().ident
        self.asked = None  # of a store by the main thread: what, and its answer
        self.asking, self.asks, self.in_store = False, 0, 0.0  # whether it does now; how often it did, and its processor time for it

    def begin(self):
        threading.Thread(target=self.watch, name="peakscope-watch", daemon=True).start()

    def watch(self):
        began, told, before = time.monotonic(), False, self.look()
        while True:
            time.sleep(self.limit / 12)
            now = self.look()
            if self.works(before, now):
                began, told = now["time"], False
            elif now["time"] - began >= self.limit and not told:
                told = True
                self.tell(self.asking or now["asks"] > before["asks"])
            before = now

    def look(self):
        processor, read = self.used()
        return {"time": time.monotonic(), "launches": self.launches(), "processor": processor - self.in_store, "read": read,
                "asked": self.asked, "asks": self.asks}

    @staticmethod
    def works(before, now):
        spent = now["processor"] - before["processor"]
        return (spent > max(IDLE * (now["time"] - before["time"]), 2 / TICKS) or now["read"] > before["read"]
                or now["launches"] != before["launches"] or now["asked"] != before["asked"])

    def used(self):
        """Processor seconds, and pages that were brought in, of this process and all that it has started but the store."""
        times = os.times()
        processor = time.process_time() - time.thread_time() + times.children_user + times.children_system
        read, own, left = 0, str(os.getpid()), [str(os.getpid())]
        while left:
            process = left.pop()
            try:
                with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                for task in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{task}/children", encoding="utf-8") as file:
                        left += [child for child in file.read().split() if child != self.store_process]
                with open(f"/proc/{process}/io", encoding="utf-8") as file:
                    read += int(file.read().partition("\nread_bytes: ")[2].split()[0])
            except (OSError, IndexError, ValueError):
                continue  # it has ended, or this system doesn't say
            read += int(fields[9])  # major faults
            if process != own:
                processor += sum(map(int, fields[11:15])) / TICKS
        return processor, read

    def tell(self, of_store):
        own = program_frame(sys._current_frames().get(self.main))
        where = f" at {place_of(own)}" if own else ""
        sys.stderr.write(f"peakscope: rank {self.rank} of {self.world} has waited for {self.limit:g} s: {self.asked[0] if of_store else self.line(own)}{where}; "
                         "no other rank runs, so the wait never ends. The program continues; Ctrl+C ends it\n")
        sys.stderr.flush()

    @staticmethod
    def line(own):
        line = linecache.getline(own.f_code.co_filename, own.f_lineno).strip() if own else ""
        return line or "no line of its own is known"

    def follow(self, stores):
        """Classes of stores: what is asked of them is noted, before the answer, too, for which a store of the program's own waits."""
        for kind in stores:
            for name in ("wait", "get", "check", "add", "compare_set", "multi_get"):
                if hasattr(kind, name):
                    setattr(kind, name, self.noted(name, getattr(kind, name)))

    def noted(self, name, ask):
        def noted(store, *args, **kwargs):
            if threading.get_ident() != self.main:
                return ask(store, *args, **kwargs)
            began = time.thread_time()
            keys = args[0] if args else next(iter(kwargs.values()), "")
            text = f"store.{name} of " + (", ".join(map(str, keys)) if isinstance(keys, (list, tuple)) else str(keys))
            if not self.asked or self.asked[0] != text:
                self.asked = (text, None)
            self.asking = True
            try:
                answer = ask(store, *args, **kwargs)
            finally:
                self.asking = False
            self.asked, self.asks = (text, answer), self.asks + 1
            self.in_store += time.thread_time() - began
            return answer

        noted.__name__ = name
        return noted
