# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes written/dry_card_trace.json.gz and its row of written/answers.json: the Chrome trace that PyTorch's profiler writes of
a training step on a stand-in of a card. The allocator and the profiler are PyTorch's own; the answers are what
torch.cuda says of its memory.

    peakscope-cli record --device dry:h100-80gb --steps 50 --allow-saves -- python make_dry_trace.py
"""
import gzip
import json
import os
import tempfile

import torch
import torch.profiler

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "written"))
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 256)).cuda()
optimizer = torch.optim.Adam(model.parameters())
rows = torch.randn(64, 256, device="cuda")


def step():
    optimizer.zero_grad()
    model(rows).sum().backward()
    optimizer.step()


step()
torch.cuda.reset_peak_memory_stats()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
    step()
peak, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trace.json")
    profile.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
for private in ("host_name", "traceName", "trace_id"):
    trace.pop(private, None)
with gzip.GzipFile("dry_card_trace.json.gz", "wb", mtime=0) as file:
    file.write(json.dumps(trace).encode())
card = [event["args"] for event in trace["traceEvents"] if event.get("name") == "[memory]" and event["args"]["Device Type"] == 1]
with open("answers.json", encoding="utf-8") as file:
    answers = json.load(file)
answers["dry_card_trace"] = {"memory_events": len(card), "device": "cuda:0", "highest_total": peak, "highest_reserved": reserved,
                             "torch": torch.__version__}
with open("answers.json", "w", encoding="utf-8") as file:
    json.dump(answers, file, indent=1)
    file.write("\n")
