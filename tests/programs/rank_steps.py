# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How sharded.py and stages.py begin and end on one rank of many."""
import json
import os

import torch
import torch.distributed as dist


def begin():
    """The rank's card, with NCCL's process group over all."""
    card = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(card)
    dist.init_process_group("nccl")
    return card


def three_steps():
    """Three turns of the loop over it, then prints the last one's peaks as JSON. A loop's body rather than a function of its own: its
    names keep what they hold into the next step, as in most people's programs, and that counts."""
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        yield
    print(json.dumps({"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}), flush=True)
    dist.destroy_process_group()
