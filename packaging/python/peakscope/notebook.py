# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cell magic %%peakscope: records a cell and shows under it what held its memory. `%load_ext peakscope` loads it."""
import html
import shlex
import sys

from peakscope import programs
from peakscope.recording import RecordError, in_words, record

USAGE = "%%peakscope [--stacks] [--out FILE]"


class Shown:
    """Of the kinds that a notebook can show, what there is."""

    def __init__(self, text, svg=None, table=None):
        self.text, self.svg, self.table = text, svg, table

    def __repr__(self):
        return self.text

    def _repr_svg_(self):
        return self.svg

    def _repr_html_(self):
        return self.table


def options_of(line):
    """The arguments of peakscope.record."""
    words = shlex.split(line)
    options = {"path": None, "stacks": False}
    while words:
        word = words.pop(0)
        if word == "--stacks":
            options["stacks"] = True
        elif word == "--out" and words:
            options["path"] = words.pop(0)
        elif word.startswith("--out="):
            options["path"] = word.removeprefix("--out=")
        else:
            raise RecordError(f"{word} is not expected here: {USAGE}")
    return options


def table_of(recorded):
    """Where no figure can be drawn."""
    rows = [("component", name, size) for name, size in recorded.components.items()]
    rows += [("line", name, size) for name, size in recorded.holders(by="line")]
    cells = "".join(f"<tr><td>{kind}</td><td>{html.escape(name)}</td><td>{in_words(size)}</td></tr>" for kind, name, size in rows)
    return f"<table><tr><th>at the peak</th><th></th><th>bytes</th></tr>{cells}</table>"


def line_of(recorded):
    held = ", ".join(f"{name} {in_words(size)}" for name, size in recorded.components.items())
    return f"peak {in_words(recorded.peak_bytes)}: {held}"


def holders_of(recorded):
    """For a terminal, which shows no figure."""
    return "\n".join(f"{in_words(size):>10}  {name}" for name, size in recorded.holders(by="line"))


def shown(recorded):
    svg = programs.figure(recorded.path, "memory_timeline")
    return Shown(holders_of(recorded), svg, None if svg else table_of(recorded))


def run(shell, cell, options):
    """Records the cell; the shell says by itself how it failed."""
    failure = None
    try:
        with record(**options) as recorded:
            ran = shell.run_cell(cell)
            failure = ran.error_before_exec or ran.error_in_exec
            if failure:
                raise failure
    except BaseException as error:
        if error is not failure:
            raise
    return recorded


def load(shell):
    from IPython.display import display

    def peakscope(line, cell):
        """Records the cell and shows what held its memory: %%peakscope [--stacks] [--out FILE]"""
        try:
            recorded = run(shell, cell, options_of(line))
            if recorded.read is not None:
                print(line_of(recorded))
                display(shown(recorded))
        except (RecordError, ValueError) as error:
            sys.stderr.write(f"peakscope: {error}\n")

    shell.register_magic_function(peakscope, magic_kind="cell", magic_name="peakscope")
