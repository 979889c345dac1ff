# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording costs: processor time of a training step, in turns, the median of seven rounds.

    python bench_record.py PEAKSCOPE_CLI [ROUNDS]

Compares a program as it is, under `record` (full detail, without operators, with whole stacks) and under torch.profiler with memory: a
decoder of GPT-2's size on a row of 64, and a small one whose steps are nothing but calls.
"""
import json
import os
import statistics
import subprocess
import sys
import time

KINDS = ("bare", "record", "record --operators off", "record --stacks", "profiler")
SIZES = {"gpt2-small, 1 x 64": (768, 12, 50257, 64, 6), "4 layers of 64, 1 x 16": (64, 4, 500, 16, 200)}


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
    if kind.startswith("record"):
        command = [cli, *kind.split(), "--", *command]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(next(line for line in said.stdout.splitlines() if line.startswith("{")))["milliseconds"]


def main():
    cli, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    for size in SIZES:
        times = {kind: [] for kind in KINDS}
        for _ in range(rounds):
            for kind in KINDS:
                times[kind].append(measured(cli, kind, size))
        bare = statistics.median(times["bare"])
        print(size)
        for kind in KINDS:
            took = statistics.median(times[kind])
            ratio = statistics.median(one / base for one, base in zip(times[kind], times["bare"]))
            print(f"    {took:8.2f} ms  {ratio:5.3f} of bare  {kind}", flush=True)
        print(f"    bare {bare:.2f} ms, {min(times['bare']):.2f} to {max(times['bare']):.2f}")


if __name__ == "__main__":
    if sys.argv[1] == "--train":
        train(sys.argv[2], sys.argv[3] == "profiler")
    else:
        main()
