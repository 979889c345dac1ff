# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one rank of many finds without the others, who are taken to hold what it holds: prints what is wrong and "N of N".

peakscope-cli record --device dry:CARD --world 8 --rank 3 -- python rank_values.py
"""
import os

import torch
import torch.distributed as dist
import torch.distributed.fsdp
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

if hasattr(torch.distributed.fsdp, "fully_shard"):
    from torch.distributed.fsdp import fully_shard
else:
    from torch.distributed._composable.fsdp import fully_shard

dist.init_process_group("cpu:gloo,cuda:nccl")
RANK, WORLD = dist.get_rank(), dist.get_world_size()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
MINE = [RANK + 1, 10 * RANK, 7]


def mine(device="cuda"):
    return torch.tensor(MINE, device=device)


def all_gathered():
    parts = [torch.zeros(3, dtype=torch.long, device="cuda") for _ in range(WORLD)]
    dist.all_gather(parts, mine())
    whole = torch.zeros(3 * WORLD, dtype=torch.long, device="cuda")
    dist.all_gather_into_tensor(whole, mine())
    host = [torch.zeros(3, dtype=torch.long) for _ in range(WORLD)]
    dist.all_gather(host, mine("cpu"))
    return [part.tolist() for part in parts], whole.tolist(), [part.tolist() for part in host]


def scattered():
    out, parts = torch.zeros(3, dtype=torch.long, device="cuda"), [mine() + place for place in range(WORLD)]
    dist.reduce_scatter(out, parts, op=dist.ReduceOp.MAX)
    exchanged = torch.zeros(WORLD, dtype=torch.long, device="cuda")
    dist.all_to_all_single(exchanged, torch.arange(WORLD, device="cuda"))
    return out.tolist(), exchanged.tolist()


def reduced():
    most = mine()
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    sent = mine()
    dist.broadcast(sent, src=0)
    return most.tolist(), sent.tolist()


def objects():
    gathered, received, part = [None] * WORLD, [{"from": RANK} if RANK == 0 else None], [None]
    dist.all_gather_object(gathered, MINE)
    dist.broadcast_object_list(received, src=0)
    dist.scatter_object_list(part, [f"for {rank}" for rank in range(WORLD)] if RANK == 0 else None, src=0)
    return gathered, received, part


def one_by_one():
    """With the rank beside it: an object each way, a number of it that nobody knows; and all at a store of an address of its own."""
    beside, received, number = RANK ^ 1, [None], torch.zeros(1, dtype=torch.long)
    dist.send_object_list([{"to": beside}], dst=beside)
    sender = dist.recv_object_list(received, src=beside)
    dist.monitored_barrier(dist.new_group(backend="gloo"))
    store, rank, size = next(dist.rendezvous("tcp://10.0.0.1:23456", RANK, WORLD))
    store.set("here", "1")
    exchanged = torch.zeros(WORLD, dtype=torch.long, device="cuda")
    dist.all_to_all_single(exchanged, torch.arange(WORLD, device="cuda") + 1)
    return received, sender - beside, dist.recv(number), store.get("here"), rank, size, exchanged.tolist()


def groups():
    two = dist.new_group([RANK, (RANK + 1) % WORLD])
    mesh = init_device_mesh("cuda", (WORLD // 2, 2), mesh_dim_names=("data", "tensor"))
    dist.barrier()
    return two.size(), mesh["data"].size(), mesh["tensor"].get_local_rank()


def sharded():
    model = torch.nn.Sequential(*[torch.nn.Linear(64, 64, bias=False) for _ in range(4)]).cuda()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    optimiser = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.randn(16, 64, device="cuda")).sum().backward()
        optimiser.step()
    return sum(parameter.to_local().numel() for parameter in model.parameters())


def replicated():
    model = DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
    model(torch.randn(16, 64, device="cuda")).sum().backward()
    return model.module.weight.grad.shape


EXPECTED = {
    one_by_one: ([{"to": RANK}], 0, (RANK + 1) % WORLD, b"1", RANK, WORLD, [RANK + 1] * WORLD),
    all_gathered: ([MINE] * WORLD, MINE * WORLD, [MINE] * WORLD),
    scattered: ([value + RANK for value in MINE], [RANK] * WORLD),
    reduced: (MINE, MINE),
    objects: ([MINE] * WORLD, [{"from": 0}], [f"for {RANK}"]),
    groups: (2, WORLD // 2, RANK % 2),
    sharded: 4 * 64 * 64 // WORLD,
    replicated: (64, 64),
}


def main():
    wrong = 0
    for case, expected in EXPECTED.items():
        found = case()
        if found != expected:
            wrong += 1
            print(f"{case.__name__}: {found} where {expected} is right")
    print(f"{len(EXPECTED) - wrong} of {len(EXPECTED)}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
