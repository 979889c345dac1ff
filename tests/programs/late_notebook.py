# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of a notebook with the magic %%peakscope, in IPython's shell.

    PYTHONPATH="$(peakscope-cli record --python-folder)" python late_notebook.py

Prints "no IPython" where that is not installed; fails where a cell shows anything else.
"""
import json
import os
import sys
import tempfile

from peakscope import companions, start

if start.lacks_companions():
    companions.provide()

try:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
except ImportError:
    print("no IPython")
    sys.exit()

TRAIN = "optimizer.zero_grad(); model(torch.randn(64, 100)).sum().backward(); optimizer.step()"


def cell(shell, text):
    with capture_output() as captured:
        shell.run_cell(text)
    return captured


def main(folder):
    shell = InteractiveShell.instance()
    assert not cell(shell, "%load_ext peakscope").stderr
    cell(shell, "import torch\nmodel = torch.nn.Linear(100, 400)\noptimizer = torch.optim.AdamW(model.parameters())\n" + TRAIN)
    path = os.path.join(folder, "cell.json")
    shown = cell(shell, f"%%peakscope --stacks --out {path}\n{TRAIN}\nanswer = 42")
    assert shell.user_ns["answer"] == 42
    assert shown.stdout.startswith("peak ") and "parameters 158 KiB" in shown.stdout, shown.stdout + shown.stderr
    data = shown.outputs[0].data
    assert "image/svg+xml" in data or "<table>" in data["text/html"], data.keys()
    assert data["text/plain"], data
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    components = result["memory"]["peak_components"]
    assert components["parameters"] == components["gradients"] == 40400 * 4 and components["other"] == 0, components
    assert cell(shell, "%%peakscope\n" + TRAIN).stdout.startswith("peak ")
    failed = cell(shell, "%%peakscope\nmodel(torch.randn(64, 100))\n1 / 0")
    assert "ZeroDivisionError" in failed.stdout + failed.stderr and "peak " in failed.stdout, failed.stdout + failed.stderr
    assert "peakscope: --wrong is not expected here" in cell(shell, "%%peakscope --wrong\n1").stderr
    print("notebook: done;", "a figure" if "image/svg+xml" in data else "a table")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(scratch)
