# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of same_model.py over several ranks by PyTorch's own means, beside the engine's sharding of the same kind.

    python same_shards.py WAY

WAY: ddp, zero1, fsdp2 (float32 shards, gathered as bfloat16, summed in float32: the default of training.sharding "fsdp"). torch's own
default of reduce_dtype changed in 2.15; here it is written out.
"""
import os
import sys

import torch
import torch.distributed as dist

from same_model import Model, train

card = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(card)
torch.set_default_device(card)  # whose tensors a dry run keeps apart from its own
dist.init_process_group("nccl")
model = Model()
if sys.argv[1] == "fsdp2":
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for part in [*model.blocks, model]:
        fully_shard(part, mp_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
else:
    model = torch.nn.parallel.DistributedDataParallel(model)
    if sys.argv[1] == "zero1":
        from torch.distributed.optim import ZeroRedundancyOptimizer
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-3, foreach=True)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
train(model, optimizer)
dist.destroy_process_group()
