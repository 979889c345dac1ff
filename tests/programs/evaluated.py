# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training whose evaluation takes more than its steps: it holds 128 x 64 x 4000 logits in float32, and their softmax.

peakscope-cli record --device dry:CARD --through-eval -- python evaluated.py
"""
import torch
from torch.utils.data import DataLoader, TensorDataset

WORDS = 4000
model = torch.nn.Sequential(torch.nn.Embedding(WORDS, 256), torch.nn.Linear(256, WORDS)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
train = DataLoader(TensorDataset(torch.randint(0, WORDS, (4000, 64))), batch_size=4)
held_out = DataLoader(TensorDataset(torch.randint(0, WORDS, (1280, 64))), batch_size=128)
for epoch in range(3):
    model.train()
    for (ids,) in train:
        ids = ids.cuda()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for (ids,) in held_out:
            model(ids.cuda()).float().softmax(-1)
    torch.save(model.state_dict(), "model.pt")
