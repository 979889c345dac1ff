# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPT-2 written with the same operators as the engine's, for test_same_model: its peak is to be the engine's.

    python same_model.py DEVICE
"""
import sys

import torch
from torch import nn
from torch.nn import functional

WIDTH, LAYERS, HEADS, WORDS, PLACES, BATCH, LENGTH = 128, 3, 4, 1000, 128, 4, 96


class Projection(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(before, after) * 0.02), nn.Parameter(torch.zeros(after))

    def forward(self, x):
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(*x.shape[:-1], -1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.merged = Projection(WIDTH, 3 * WIDTH), Projection(WIDTH, WIDTH)
        self.wide, self.narrow = Projection(WIDTH, 4 * WIDTH), Projection(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (part.view(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.attention(self.first(x)).split(WIDTH, -1))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        x = x + self.merged(mixed)
        return x + self.narrow(functional.gelu(self.wide(self.second(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)

    def forward(self, x, y):
        hidden = functional.embedding(x, self.words.weight) + self.places.weight.narrow(0, 0, LENGTH)
        for block in self.blocks:
            hidden = block(hidden)
        logits = functional.linear(self.norm(hidden), self.words.weight)
        return functional.nll_loss(functional.log_softmax(logits.view(-1, WORDS), -1), y.view(-1)), logits


def train(model, optimizer):
    for _ in range(3):
        x, y = torch.randint(0, WORDS, (BATCH, LENGTH)), torch.randint(0, WORDS, (BATCH, LENGTH))
        optimizer.zero_grad()
        loss, logits = model(x, y)
        loss.backward()
        optimizer.step()
        del loss, logits


if __name__ == "__main__":
    torch.set_default_device(sys.argv[1])
    model = Model()
    train(model, torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False))
