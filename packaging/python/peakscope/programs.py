# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Peakscope's own programs, which make a result of what was recorded, and figures of a result."""
import os
import pathlib
import shutil
import subprocess


class RecordError(Exception):
    """What could not be recorded or read, in a sentence."""


def command_line():
    """Where peakscope-cli is."""
    named = os.environ.get("PEAKSCOPE_CLI")
    if named:
        if os.path.isfile(named) and os.access(named, os.X_OK):
            return named
        raise RecordError(f"PEAKSCOPE_CLI is {named}, which is no program; set it to the path of peakscope-cli")
    python = pathlib.Path(__file__).resolve().parent.parent
    # In a wheel the programs are in this package; installed, this is share/peakscope/python; in the source tree, packaging/python.
    for near in (pathlib.Path(__file__).with_name("tree") / "bin" / "peakscope-cli", python.parents[2] / "bin" / "peakscope-cli",
                 python.parents[1] / "build" / "bin" / "peakscope-cli"):
        if os.access(near, os.X_OK):
            return str(near)
    found = shutil.which("peakscope-cli")
    if not found:
        raise RecordError("peakscope-cli is not found; set PEAKSCOPE_CLI to its path")
    return found


def run(program, *arguments, **variables):
    """What it prints, on standard output and on standard error."""
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              env={**os.environ, **variables})
    except OSError as error:
        raise RecordError(f"{program} can't be started: {error.strerror}") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise RecordError(said[-1] if said else f"{os.path.basename(program)} ended with status {done.returncode}")
    return done.stdout, done.stderr


def figure(path, name):
    """A figure of a result as SVG; None where the program that draws is not beside the other."""
    drawing = os.path.join(os.path.dirname(command_line()), "peakscope")
    if not os.access(drawing, os.X_OK):
        return None
    try:
        return run(drawing, "export", path, "--figure", name, "--format", "svg", "--out", "-", QT_QPA_PLATFORM="offscreen")[0]
    except RecordError:
        return None
