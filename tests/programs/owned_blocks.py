# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A model, a frozen teacher with scales on one of its weights, a moving average and a buffer of plain numbers: of the blocks at the peak
4 x 16 MiB are parameters, 32 MiB states, 64 MiB other.

peakscope-cli record --device dry:CARD -- python owned_blocks.py
"""
import copy
import types

import torch

student = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024, bias=False) for _ in range(4)]).cuda()
teacher = copy.deepcopy(student).requires_grad_(False)
average = copy.deepcopy(student).requires_grad_(False)
teacher[0].weight.quant_state = types.SimpleNamespace(absmax=torch.ones(4, 1024, 1024, device="cuda"))
replay = torch.zeros(16, 1024, 1024, device="cuda")
optimizer = torch.optim.AdamW(student.parameters())
for iteration in range(5):
    x = torch.randn(64, 1024, device="cuda")
    with torch.no_grad():
        target = teacher(x)
    (student(x) - target).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        for one, other in zip(average.parameters(), student.parameters()):
            one.lerp_(other, 0.01)
    replay[iteration, :64].copy_(target)
