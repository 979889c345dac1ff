# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that starts its ranks itself, a process for each card that it finds, and trains by DistributedDataParallel.

peakscope-cli record --device dry:CARD --world 4 --rank 0,3 -- python spawned.py
"""
import os

import torch
import torch.multiprocessing


def train(rank, ranks):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=ranks)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1024, 1024).cuda(), device_ids=[rank])
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(64, 1024, device="cuda")).sum().backward()
        optimizer.step()
    print(f"rank {rank} of {ranks} on cuda:{torch.cuda.current_device()}", flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    cards = torch.cuda.device_count()
    torch.multiprocessing.spawn(train, args=(cards,), nprocs=cards)
