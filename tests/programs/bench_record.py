# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording costs: processor time of a training step, in turns, the median of seven rounds.

    python bench_record.py PEAKSCOPE_CLI [ROUNDS [NUMBERS [SIZE…]]]

Compares a program as it is, under `record` (full detail, without operators, that in a ring, with whole stacks) and under torch.profiler
with memory: decoders, of GPT-2's size on a row of 64, of a step of some 300 ms, and a small one whose steps are nothing but calls. The
file NUMBERS keeps what was measured, so that a later call goes on with it. SIZE: a word of those to be measured.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KINDS = ("bare", "record", "record --operators off", "record --ring --operators off", "record --stacks", "profiler")
SIZES = {"gpt2-small, 1 x 64": (768, 12, 50257, 64, 6), "6 layers of 384, 1 x 64": (384, 6, 5000, 64, 8), "4 layers of 64, 1 x 16": (64, 4, 500, 16, 200)}


def train(size, profiled):
    import torch
    from recorded_loops import Decoder
    from torch.nn import functional

    width, layers, words, length, steps = SIZES[size]
    torch.set_num_threads(1)
    model = Decoder(width=width, layers=layers, words=words)
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        x = torch.randint(0, words, (1, length))
        optimizer.zero_grad()
        functional.cross_entropy(model(x).view(-1, words), x.view(-1)).backward()
        optimizer.step()

    for _ in range(2):
        step()
    profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) if profiled else None
    if profile:
        profile.__enter__()
    begin = time.process_time()
    for _ in range(steps):
        step()
    took = (time.process_time() - begin) / steps
    print(json.dumps({"milliseconds": 1000 * took}), flush=True)
    os._exit(0)  # what a profiler makes of it at its end is not asked


def measured(cli, kind, size):
    command = [sys.executable, __file__, "--train", size, kind]
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder, "run.json")
        if kind.startswith("record"):
            command = [cli, *kind.split(), "--out", str(result), "--", *command]
        said = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        took = json.loads(next(line for line in said.stdout.splitlines() if line.startswith("{")))
        if kind == "record":  # of all steps, two of which come before those that are measured
            took["events"] = len(json.loads(result.read_text())["memory"]["timeline"]["delta_bytes"]) / (SIZES[size][-1] + 2)
    return {"size": size, "kind": kind, **took}


def tell(size, rows):
    times = {kind: [row["milliseconds"] for row in rows if row["kind"] == kind] for kind in KINDS}
    if not all(times.values()):
        return
    events = statistics.median(row["events"] for row in rows if "events" in row)
    bare = statistics.median(times["bare"])
    print(f"{size}: {events:.0f} memory events a step, {len(times['bare'])} rounds")
    for kind in KINDS:
        ratio = statistics.median(one / base for one, base in zip(times[kind], times["bare"]))
        took = statistics.median(times[kind])
        print(f"    {took:8.2f} ms  {ratio:5.3f} of bare  {1e6 * (took - bare) / events:6.0f} ns an event  {kind}")
    print(f"    bare {bare:.2f} ms, {min(times['bare']):.2f} to {max(times['bare']):.2f}", flush=True)


def main():
    cli, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    numbers = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    rows = [json.loads(line) for line in numbers.read_text().splitlines()] if numbers and numbers.is_file() else []
    for size in SIZES:
        if sys.argv[4:] and not any(word in size for word in sys.argv[4:]):
            continue
        for done in range(rounds):
            for kind in KINDS:
                if sum(row["size"] == size and row["kind"] == kind for row in rows) > done:
                    continue
                rows.append(measured(cli, kind, size))
                if numbers:
                    with numbers.open("a") as file:
                        file.write(json.dumps(rows[-1]) + "\n")
        tell(size, [row for row in rows if row["size"] == size])


if __name__ == "__main__":
    if sys.argv[1] == "--train":
        train(sys.argv[2], sys.argv[3] == "profiler")
    else:
        main()
