#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small Llama with weights and states in fewer bits, and prints the losses of each.

    bench_precision.py CLI TEXT NUMBERS [STEPS [FIGURE.svg]]

TEXT is a text file (tinyshakespeare). NUMBERS is a JSON file that keeps what was run, so that the benchmark can be stopped and
continued. The loss of a run is the mean over its last tenth. Two questions:
  states   4 layers of 256 at a learning rate of 1e-3: AdamW and 8-bit AdamW
  weights  the same at 1e-5: float32, bfloat16 rounded to nearest, Kahan, stochastic rounding, float32 masters
FIGURE has the second question's losses, averaged over ten steps.
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


def figure(known, steps):
    """Losses of the weights' cases over the steps, as SVG."""
    width, height, left, top, right, bottom = 640, 320, 56, 16, 150, 40
    colors = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]
    names = [name for name in CASES if name.startswith("weights")]
    curves = {name: [sum(part) / len(part) for part in
                     (known[f"{name}, {steps} steps"][at:at + 10] for at in range(0, steps, 10))] for name in names}
    low, high = min(min(c) for c in curves.values()), max(max(c) for c in curves.values())
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)

    def place(step, loss):
        x = left + (width - left - right) * step / steps
        return f"{x:.1f},{top + (height - top - bottom) * (high - loss) / (high - low):.1f}"

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for share in range(5):
        loss = low + (high - low) * share / 4
        x, y = place(0, loss).split(",")
        lines.append(f'<path d="M{x},{y}H{width - right}" stroke="#ddd"/><text x="{left - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{loss:.2f}</text>')
        step = steps * share // 4
        x, y = place(step, low).split(",")
        lines.append(f'<text x="{x}" y="{float(y) + 16:.1f}" text-anchor="middle">{step}</text>')
    lines.append(f'<text x="{left + (width - left - right) / 2}" y="{height - 6}" text-anchor="middle">step</text>')
    lines.append(f'<text transform="translate(14 {top + (height - top - bottom) / 2}) rotate(-90)" text-anchor="middle">loss</text>')
    for number, (name, color) in enumerate(zip(names, colors)):
        points = " ".join(place(10 * i + 5, loss) for i, loss in enumerate(curves[name]))
        dash = ' stroke-dasharray="5 3"' if number else ""
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        y = top + 14 + 18 * number
        lines.append(f'<path d="M{width - right + 12},{y - 4}h22" stroke="{color}" stroke-width="2"{dash}/>'
                     f'<text x="{width - right + 40}" y="{y}">{name.split()[1]}</text>')
    return "\n".join(lines + ["</svg>", ""])


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
    if len(sys.argv) > 5:
        pathlib.Path(sys.argv[5]).write_text(figure(known, steps))


if __name__ == "__main__":
    main()
