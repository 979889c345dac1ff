# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three steps of a stack of layers, as many stages of a pipeline as there are ranks, four parts a step; prints the last step's peaks
as JSON.

    stages.py SCHEDULE

SCHEDULE: GPipe or 1F1B.
"""
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

from rank_steps import begin, three_steps

WIDTH, LAYERS, ROWS, PARTS = 1024, 4, 64, 4


def main():
    schedule = {"GPipe": ScheduleGPipe, "1F1B": Schedule1F1B}[sys.argv[1]]
    card = begin()
    rank, world = dist.get_rank(), dist.get_world_size()
    model = nn.Sequential(*[part for _ in range(LAYERS) for part in (nn.Linear(WIDTH, WIDTH), nn.GELU())]).to(card)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
    run = schedule(PipelineStage(model, rank, world, card), n_microbatches=PARTS, loss_fn=nn.functional.mse_loss)
    for _ in three_steps():
        rows = torch.randn(ROWS, WIDTH, device=card)
        if rank == 0:
            run.step(rows)
        elif rank == world - 1:
            run.step(target=rows, losses=[])
        else:
            run.step()
        optimiser.step()
        optimiser.zero_grad()


if __name__ == "__main__":
    main()
