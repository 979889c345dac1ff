# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records a part of a program: `with peakscope.record("run.json"):`.

What was allocated before counts too, with whose it is (older.py). Behind the block the program is as it was, and may record again.
"""
import json
import os
import shutil
import sys
import tempfile
import weakref

from peakscope import programs
from peakscope.programs import RecordError

current = None  # the recording that is under way in this process


class Recording:
    """What a block held: there once it has ended."""

    def __init__(self, path=None, *, stacks=False, operators=True):
        self.path = None if path is None else os.path.abspath(os.fspath(path))
        self.flags = (stacks, operators)
        self.folder = self.attached = self.read = self.process = None
        self.summary = ""

    def __enter__(self):
        global current
        if os.environ.get("PEAKSCOPE_PROBE") or os.environ.get("PEAKSCOPE_RECORD"):
            raise RecordError("peakscope-cli record records this process already; run it without that, or leave out peakscope.record")
        if current is not None:
            raise RecordError("this process is being recorded already; let that block end first")
        if self.folder is not None:
            raise RecordError("this recording has been used; call peakscope.record again")
        current = self
        self.process = os.getpid()
        self.folder = tempfile.mkdtemp(prefix="peakscope-record-")
        try:
            self.begin()
        except BaseException:
            current = None
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def begin(self):
        import torch

        from peakscope import attach, older, probe

        stacks, operators = self.flags
        flags = (probe.OPERATORS if operators else 0) | (probe.STACKS if stacks else probe.LINES)
        attached = None
        try:
            attached = attach.Attached(torch, os.path.join(self.folder, str(os.getpid())), flags)
            attached.begin()
            older.adopt(attached)
        except Exception as error:
            if attached is not None:
                attached.detach()
            why = str(error) if isinstance(error, probe.NotBuilt) else f"PyTorch {torch.__version__} does it in another way ({error})"
            raise RecordError(f"not recorded: {why}") from error
        self.attached = attached

    def __exit__(self, kind, error, trace):
        global current
        attached, self.attached = self.attached, None
        if os.getpid() != self.process:  # a fork leaves the block, too
            current = None
            return
        attached.probe.tell("command", json.dumps(sys.orig_argv))
        if kind is not None and not (kind is SystemExit and not error.code):
            attached.probe.tell("exception", kind.__name__)
        attached.finish()
        current = None
        try:
            self.write()
        except RecordError as failure:
            text = f"{failure}; what was recorded is kept in {self.folder}"
            if kind is None:
                raise RecordError(text) from None
            sys.stderr.write(f"peakscope: {text}\n")  # the block's own exception counts

    def write(self):
        """The result, by peakscope-cli, of what was recorded."""
        if self.path is None:
            folder = tempfile.mkdtemp(prefix="peakscope-result-")
            weakref.finalize(self, shutil.rmtree, folder, True)
            self.path = os.path.join(folder, "run.json")
        _, self.summary = programs.run(programs.command_line(), "record", "--read", self.folder, "--out", self.path)
        shutil.rmtree(self.folder, ignore_errors=True)
        with open(self.path, encoding="utf-8") as file:
            self.read = json.load(file)

    @property
    def result(self):
        """All of the result file."""
        if self.read is None:
            raise RecordError("there is no result: the recording has not ended, or could not be written")
        return self.read

    @property
    def peak_bytes(self):
        return self.result["memory"]["peak_bytes"]

    @property
    def components(self):
        """Bytes at the peak by what they were for, the most first."""
        held = self.result["memory"]["peak_components"]
        return {name: held[name] for name in sorted(held, key=held.get, reverse=True) if held[name]}

    def holders(self, by="line", count=5):
        """Who held most at the peak, by line, stack, module, operator, component or phase: pairs of a name and bytes."""
        self.result  # there is one
        text, _ = programs.run(programs.command_line(), "live", self.path, "--by", by, "--top", str(count), "--json")
        return [(row["what"], row["allocated_bytes"]) for row in json.loads(text)["rows"][:count]]

    def __repr__(self):
        return self.summary.strip() or "<a peakscope recording without a result>"


def record(path=None, *, stacks=False, operators=True):
    """Records the block behind `with`: its result is written to `path` (else to a temporary file) once it has ended. `stacks`: whole stacks of
    Python, not only the line at work. `operators`: whether bytes have operators, and a module in backward; False is the least cost."""
    return Recording(path, stacks=stacks, operators=operators)


UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def in_words(size):
    """As peakscope-cli says it."""
    for unit, name in UNITS:
        if size >= unit:
            return f"{size / unit:.3g} {name}" if size < 1000 * unit else f"{size / unit:.0f} {name}"
    return f"{size} B"
