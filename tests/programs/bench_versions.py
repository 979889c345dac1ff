# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the same loops dry with several releases of PyTorch, and prints what each reserves and where it differs from the first.

    bench_versions.py CLI PYTHON…        the first is the one that the others are compared with
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOOPS = ("mlp", "transformer", "checkpointed", "autocast", "embedding")


def recorded(cli, python, *words):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        ended = subprocess.run([cli, "record", "--device", "dry:h100-80gb", "--steps", "1000", "--out", out, "--", python, *words],
                               capture_output=True, text=True, timeout=300)
        try:
            result = json.load(open(out, encoding="utf-8"))
        except OSError:
            sys.exit(f"{python}: {(ended.stderr.strip() or 'nothing').splitlines()[-1]}")
    return result["config"]["program"]["torch"], result["memory"]["peak_bytes"], result["memory"]["peak_reserved_bytes"]


def main():
    cli, *pythons = sys.argv[1:]
    first = {}
    print("release".ljust(16) + "".join(f"{loop:>28}" for loop in LOOPS))
    for python in pythons:
        cells = []
        for loop in LOOPS:
            release, *peaks = recorded(cli, python, os.path.join(HERE, "plain_loops.py"), loop)
            expected = first.setdefault(loop, peaks)
            cells.append("=" if peaks == expected and len(first) and python != pythons[0] else f"{peaks[0]:,} {peaks[1]:,}")
        print(release.ljust(16) + "".join(f"{cell:>28}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
