# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One training of PyTorch's own modules, for runs of several releases beside each other.

peakscope-cli record --device dry:CARD -- python plain_loops.py transformer|mlp|checkpointed|autocast|embedding
"""
import sys

import torch
from torch.utils.checkpoint import checkpoint

KIND = sys.argv[1]
WIDTH, LENGTH, WORDS = 512, 256, 8192


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, WIDTH, sparse=KIND == "embedding")
        self.layers = torch.nn.ModuleList(
            torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH)) if KIND in ("mlp", "embedding")
            else torch.nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, batch_first=True) for _ in range(4))
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, ids):
        states = self.words(ids)
        for layer in self.layers:
            states = checkpoint(layer, states, use_reentrant=False) if KIND == "checkpointed" else layer(states)
        return self.head(states)


model = Model().cuda()
optimizers = [torch.optim.AdamW([each for name, each in model.named_parameters() if not (KIND == "embedding" and name == "words.weight")])]
if KIND == "embedding":
    optimizers.append(torch.optim.SparseAdam([model.words.weight]))
for _ in range(3):
    ids = torch.randint(0, WORDS, (16, LENGTH), device="cuda")
    with torch.autocast("cuda", torch.bfloat16, enabled=KIND == "autocast"):
        loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1).float(), ids.flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0) if KIND != "embedding" else None
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
