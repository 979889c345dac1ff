#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small Llama with weights and states in fewer bits, and prints the losses of each.

    bench_precision.py CLI TEXT NUMBERS [STEPS]

TEXT is a text file (tinyshakespeare). NUMBERS is a JSON file that keeps what was run, so that the benchmark can be stopped and
continued. The loss of a run is the mean over its last tenth. Two questions:
  states   4 layers of 256 at a learning rate of 1e-3: AdamW and 8-bit AdamW
  weights  the same at 1e-5: float32, bfloat16 rounded to nearest, Kahan, stochastic rounding, float32 masters
"""
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = {
    "states adamw": ("float32", {"optimizer": "adamw", "lr": 1e-3}),
    "states adamw8bit": ("float32", {"optimizer": "adamw8bit", "lr": 1e-3}),
    "weights float32": ("float32", {"optimizer": "adamw", "lr": 1e-5}),
    "weights nearest": ("bfloat16", {"optimizer": "adamw", "lr": 1e-5}),
    "weights kahan": ("bfloat16", {"optimizer": "adamw", "lr": 1e-5, "rounding": "kahan"}),
    "weights stochastic": ("bfloat16", {"optimizer": "adamw", "lr": 1e-5, "rounding": "stochastic"}),
    "weights masters": ("bfloat16", {"optimizer": "adamw", "lr": 1e-5, "masters": True}),
}


def losses(cli, text, steps, dtype, training, folder):
    experiment = {
        "kind": "memory",
        "model": {"family": "llama", "hidden": 256, "layers": 4, "heads": 4, "vocab": 256, "max_positions": 128},
        "weights": "random",
        "device": "cpu",
        "dtype": dtype,
        "traced": False,
        "data": {"source": "text", "path": str(text), "tokenizer": "bytes", "batch": 8, "seq": 128},
        "training": {"warmup_steps": 0, "steps": steps, **training},
    }
    source, result = folder / "experiment.json", folder / "result.json"
    source.write_text(json.dumps(experiment))
    subprocess.run([cli, "run", str(source), "--out", str(result)], check=True, capture_output=True)
    return json.loads(result.read_text())["losses"]


def main():
    cli, text, numbers = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 300
    known = json.loads(numbers.read_text()) if numbers.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (dtype, training) in CASES.items():
            key = f"{name}, {steps} steps"
            if key not in known:
                known[key] = losses(cli, text, steps, dtype, training, pathlib.Path(folder))
                numbers.write_text(json.dumps(known))
            tail = known[key][-max(1, steps // 10) :]
            print(f"{name:<20} first {known[key][0]:.4f}, last {sum(tail) / len(tail):.4f}", flush=True)


if __name__ == "__main__":
    main()
