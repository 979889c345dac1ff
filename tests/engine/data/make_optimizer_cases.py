#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the references of tests/engine/checks/model/optimizer_checks.cpp, three numbers after five updates in float64,
and of matrix_update_checks.cpp beside it, matrices after five updates.

Made with torch 2.7 and pytorch_optimizer 4.1 (Lion), from Adagrad on with torch 2.15, on a CPU; settings are each
optimiser's defaults but for lr."""
import torch
from pytorch_optimizer import Lion

KINDS = [torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, Lion, torch.optim.RMSprop, torch.optim.Adagrad,
         torch.optim.Adafactor]

for kind in KINDS:
    parameter = torch.nn.Parameter(torch.tensor([0.5, -1.25, 2.0], dtype=torch.float64))
    optimizer = kind([parameter], lr=0.01)
    for step in range(5):
        parameter.grad = torch.tensor([(place + 1) * 0.25 - 0.125 * step for place in range(3)], dtype=torch.float64)
        optimizer.step()
    print(kind.__name__.lower(), ["%.17g" % value for value in parameter.tolist()])


def numbers(rows, columns, start, dtype):
    values = [((place * 37 + start * 11) % 64 - 32) / 64 for place in range(rows * columns)]
    return torch.tensor(values, dtype=dtype).reshape(rows, columns)


for kind in (torch.optim.Muon, torch.optim.Adafactor):
    for dtype in (torch.float32, torch.float64):
        for rows, columns in ((5, 3), (3, 5)):
            parameter = torch.nn.Parameter(numbers(rows, columns, 0, dtype))
            optimizer = kind([parameter], lr=0.01)
            for step in range(1, 6):
                parameter.grad = numbers(rows, columns, step, dtype)
                optimizer.step()
            print(kind.__name__.lower(), dtype, rows, columns, ["%.17g" % value for value in parameter.flatten().tolist()])
