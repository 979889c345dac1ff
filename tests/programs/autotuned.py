# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three steps of two compiled layers under max-autotune; needs triton.

peakscope-cli record --device dry:CARD -- python autotuned.py
"""
import torch

model = torch.nn.Sequential(torch.nn.Linear(2048, 2048, bias=False), torch.nn.GELU(), torch.nn.Linear(2048, 2048, bias=False)).cuda()
compiled = torch.compile(model, mode="max-autotune-no-cudagraphs")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    compiled(torch.randn(512, 2048, device="cuda")).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
