#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a memory timeline of PyTorch in both of its forms, one profile of a small network, as PyTorch 2.15 wrote
formats/torch/memory_timeline.json and .raw.json: only the library itself can, for the numbers of its categories stand
in no document. Times differ from run to run. Needs torch 2.1 or newer; the first argument is the folder."""
import gzip, os, sys, torch

folder = sys.argv[1] if len(sys.argv) > 1 else "."
network = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 64))
optimizer = torch.optim.Adam(network.parameters())
inputs, labels = torch.randn(128, 256), torch.randint(0, 64, (128,))
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, profile_memory=True,
                            with_stack=True) as profile:
    for _ in range(2):
        torch.nn.functional.cross_entropy(network(inputs), labels).backward()
        optimizer.step()
        optimizer.zero_grad()
profile.export_memory_timeline(os.path.join(folder, "memory_timeline.json"), device="cpu")
# PyTorch knows the raw form by this ending alone; any other .json gets the first form.
packed = os.path.join(folder, "memory_timeline.raw.json.gz")
profile.export_memory_timeline(packed, device="cpu")
with gzip.open(packed) as file, open(packed[:-3], "wb") as out:
    out.write(file.read())
os.remove(packed)
